"""`foveal trec_eval` on small files, against lines worked out from what trec_eval's source does.

Topic 10 has nothing relevant, 11 a document picked for judging and not judged (z), 12 no results
and 77 no judgements. In topic 9 u was never judged, and a and b are tied, so b comes first.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.calling import Answer, foveal

QRELS = """\
9 0 a 1
9 0 b 0
9 0 c 2
10 0 a 0
10 0 b 0
11 0 a 1
11 0 z -1
12 0 k 1
"""
RUN = """\
9 Q0 a 1 3 one
9 Q0 b 2 3 one
9 Q0 u 3 5 one
10 Q0 a 1 3 one
11 Q0 z 1 9 two
11 Q0 a 2 1 two
77 Q0 a 2 1 three
"""
NORMS = """\
9 map 0.1 0
9 num_ret 4 2
9 P_1 0 0
10 map 0.25 0.5
10 num_ret 1 3
11 map 0.5 0
11 num_ret 10 3
"""


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "q").write_text(QRELS)
    (tmp_path / "r").write_text(RUN)
    (tmp_path / "z").write_text(NORMS)
    return tmp_path


def called(files: Path, words: str) -> Answer:
    return foveal("trec_eval", *words.split(), "q", "r", folder=files)


def lines(files: Path, words: str) -> list[tuple[str, str, str]]:
    """What is printed, as name, topic and value, the name without the blanks behind it."""
    answer = called(files, words)
    assert (answer.code, answer.err) == (0, "")
    printed = [line.split("\t") for line in answer.out.splitlines()]
    assert all(len(name) >= 22 for name, _, _ in printed)
    return [(name.rstrip(), topic, value) for name, topic, value in printed]


def overall(files: Path, words: str) -> dict[str, str]:
    found = lines(files, words)
    assert {topic for _, topic, _ in found} == {"all"}
    return {name: value for name, _, value in found}


def by_topic(files: Path, words: str) -> dict[str, str]:
    return {topic: value for _, topic, value in lines(files, words)}


def test_a_line_is_a_padded_name_a_topic_and_a_value(files: Path) -> None:
    expected = "num_q                 \tall\t3\nmap                   \tall\t0.2222\n"
    assert called(files, "-m map -m num_q").out == expected


def test_topics_are_in_byte_order_and_those_in_both_files(files: Path) -> None:
    # Topic 9: u b a, one of two found at rank 3; topic 11: z a.
    assert lines(files, "-q -m map -m num_ret") == [
        ("num_ret", "10", "1"), ("map", "10", "0.0000"),
        ("num_ret", "11", "2"), ("map", "11", "0.5000"),
        ("num_ret", "9", "3"), ("map", "9", "0.1667"),
        ("num_ret", "all", "6"), ("map", "all", "0.2222"),
    ]  # fmt: skip


def test_the_run_is_called_what_its_last_line_says(files: Path) -> None:
    assert lines(files, "-q -m runid") == [("runid", "all", "three")]
    with (files / "r").open("a") as run:
        run.write("78 Q0 a 2 1 four and more\n\n")
    assert lines(files, "-m runid") == [("runid", "all", "four")]


def test_geometric_means_and_the_number_of_topics_have_no_line_for_a_topic(files: Path) -> None:
    # (0.5 · 1/6 · 0.00001)^(1/3)
    assert lines(files, "-q -m gm_map -m num_q") == [
        ("num_q", "all", "3"),
        ("gm_map", "all", "0.0094"),
    ]


def test_c_averages_missing_topics_without_printing_them(files: Path) -> None:
    words = "-c -q -m map -m num_rel -m gm_map -m num_q -m num_ret"
    found = lines(files, words)
    assert {topic for _, topic, _ in found} == {"9", "10", "11", "all"}
    assert found[-5:] == [
        ("num_q", "all", "4"), ("num_ret", "all", "6"), ("num_rel", "all", "4"),
        ("map", "all", "0.1667"), ("gm_map", "all", "0.0017"),
    ]  # fmt: skip


def test_c_takes_every_score_of_a_missing_topic_for_0_in_version_9(files: Path) -> None:
    # yaap of 10, 11 and 9: log 1/1, log 1.5/1.5, log (4/3)/(8/3); utility -1, 0, -1 with b alone.
    found = overall(files, "-c -m yaap -m utility.1,-1,-1,0")
    assert found == {"yaap": "-0.1733", "utility_1,-1,-1,0": "-0.7500"}


def test_c_counts_relevant_documents_of_all_topics_whatever_the_level(files: Path) -> None:
    assert overall(files, "-c -l 2 -m num_rel") == {"num_rel": "4"}
    assert overall(files, "-l 2 -m num_rel") == {"num_rel": "1"}


def test_c_prints_missing_topics_in_version_10(files: Path) -> None:
    assert by_topic(files, "--as 10 -c -q -m num_ret")["12"] == "0"
    assert by_topic(files, "--as 10 -c -q -m relstring")["12"] == "''"
    assert by_topic(files, "--as 10 -c -q -m rbp_resid")["12"] == "0.0000"
    assert by_topic(files, "--as 10 -c -q -m yaap")["12"] == "-0.6931"


def test_version_10_forgets_its_own_document_only_without_parameters(files: Path) -> None:
    assert by_topic(files, "--as 10 -c -q -m relstring.3")["12"] == "'-'"
    assert by_topic(files, "--as 10 -c -q -m rbp_resid.p=0.5")["12"] == "1.0000"
    # One irrelevant document returned (-1), eight of ten neither returned nor relevant (4).
    words = "--as 10 -c -q -N 10 -m utility.1,-1,0,0.5"
    assert by_topic(files, words)["12"] == "3.0000"
    assert by_topic(files, "-J " + words)["12"] == "4.5000"


def test_without_a_common_topic_only_version_10_has_something_to_average(files: Path) -> None:
    (files / "r").write_text("77 Q0 a 2 1 t\n")
    for words in ("-m map", "-c -m map", "--as 10 -m map"):
        answer = called(files, words)
        assert (answer.code, answer.out) == (65, "")
    assert overall(files, "--as 10 -c -m map -m num_q") == {"num_q": "4", "map": "0.0000"}


def test_l_is_the_lowest_relevant_grade(files: Path) -> None:
    assert by_topic(files, "-q -l 2 -m num_rel") == {"10": "0", "11": "0", "9": "1", "all": "1"}
    # With 0, judged documents are relevant; u and z were not judged.
    assert by_topic(files, "-q -l0 -m map") == {
        "10": "0.5000",
        "11": "0.5000",
        "9": "0.3889",
        "all": "0.4630",
    }


def test_m_cuts_before_j_drops(files: Path) -> None:
    assert by_topic(files, "-q -n -M 1 -m num_ret") == {"10": "1", "11": "1", "9": "1"}
    assert by_topic(files, "-q -n -J -m num_ret") == {"10": "1", "11": "1", "9": "2"}
    assert by_topic(files, "-q -n -J -M 1 -m num_ret") == {"10": "1", "11": "0", "9": "0"}
    assert by_topic(files, "-q -n -J -m recip_rank")["9"] == "0.5000"


def test_n_prints_no_summary(files: Path) -> None:
    assert called(files, "-n").out == ""
    assert by_topic(files, "-n -q -m P.1") == {"10": "0.0000", "11": "0.0000", "9": "0.0000"}


def test_relstrings_tell_unpooled_from_unjudged_and_have_no_summary(files: Path) -> None:
    assert by_topic(files, "-q -m relstring.2") == {"10": "'0'", "11": "'.1'", "9": "'-0'"}
    assert called(files, "-m relstring").out == ""
    (files / "q").write_text("9 0 a 12\n")
    assert by_topic(files, "-q -m relstring") == {"9": "'-->'"}


def test_the_size_of_the_collection_is_for_utility(files: Path) -> None:
    # 10 - 1 returned, 10 - 2 returned, 10 + 1 - 3 returned - 2 relevant.
    assert by_topic(files, "-q -N 10 -m utility.0,0,0,1") == {
        "10": "9.0000", "11": "8.0000", "9": "6.0000", "all": "7.6667",
    }  # fmt: skip


def test_scores_in_standard_deviations(files: Path) -> None:
    # Unknown, or a deviation of 0 from a mean that was not met: -1000000.
    assert lines(files, "-Z z -q -m num_ret -m map -m P.1 -m num_q") == [
        ("Znum_ret", "10", "0.0000"), ("Zmap", "10", "-0.5000"), ("ZP_1", "10", "-1000000.0000"),
        ("Znum_ret", "11", "-2.6667"), ("Zmap", "11", "0.0000"), ("ZP_1", "11", "-1000000.0000"),
        ("Znum_ret", "9", "-0.5000"), ("Zmap", "9", "-1000000.0000"), ("ZP_1", "9", "0.0000"),
        ("Znum_q", "all", "3.0000"), ("Znum_ret", "all", "-3.1667"), ("Zmap", "all", "-333333.5000"),
        ("ZP_1", "all", "-666666.6667"),
    ]  # fmt: skip
    assert called(files, "-Z z -m map").out == "Zmap                   \tall\t-333333.5000\n"


def test_missing_topics_in_standard_deviations(files: Path) -> None:
    assert overall(files, "-c -Z z -m map -m num_rel") == {
        "Znum_rel": "4.0000", "Zmap": "-250000.1250",
    }  # fmt: skip
    assert overall(files, "--as 10 -c -Z z -m map") == {"Zmap": "-500000.1250"}


def test_zeros_have_the_signs_of_trec_eval(files: Path) -> None:
    (files / "q").write_text("1 0 a 0\n")
    (files / "r").write_text("1 Q0 b 1 1 x\n")
    asked = "-q -J -m utility.-1,-1,-1,-1"
    assert by_topic(files, asked) == {"1": "-0.0000", "all": "0.0000"}


@pytest.mark.parametrize("words", ["-l 1_0", "-M 1.5", "-N abc", "-l -1"])
def test_numbers_that_are_none_are_refused(files: Path, words: str) -> None:
    assert called(files, words).code == 2


def test_numbers_beyond_any_use_are_taken(files: Path) -> None:
    huge = 10**30
    assert overall(files, f"-M {huge} -m map") == overall(files, "-m map")
    assert overall(files, f"-l {huge} -m map") == {"map": "0.0000"}
    assert overall(files, f"-N {huge} -m utility") == overall(files, "-m utility")


@pytest.mark.parametrize(
    ("asked", "printed"),
    [
        ("-m P.10,5", ["P_5", "P_10"]), ("-m ndcg_cut.3", ["ndcg_cut_3"]),
        ("-m iprec_at_recall.0.5,.1", ["iprec_at_recall_0.10", "iprec_at_recall_0.50"]),
        ("-m iprec_at_recall..125", ["iprec_at_recall_0.12"]),
        ("-m set_F.0.5", ["set_F_0.5"]), ("-m set_F", ["set_F"]),
        ("-m Rprec_mult.1,0.5", ["Rprec_mult_0.50", "Rprec_mult_1.00"]),
        ("-m utility.1,-1,0,0", ["utility_1,-1,0,0"]), ("-m 11pt_avg.0.2,0.5", ["11pt_avg_0.2,0.5"]),
        ("-m ndcg.1=3.5,2=9.0", ["ndcg_1=3.5,2=9.0"]), ("-m success", ["success_1", "success_5", "success_10"]),
        ("--as 10 -m rbp.p=0.8", ["rbp_p=0.8"]), ("--as 10 -m unj.3", ["unj_3"]),
        ("-m map.5 -m num_q.1", ["num_q", "map"]), ("-m runid.x", ["runid"]),
        ("-m P.5 -m P.10", ["P_5"]), ("-m map -m map -m Rprec", ["map", "Rprec"]),
        ("-m dcg -m ideal_dcg -m yaap", ["dcg", "ideal_dcg", "yaap"]),
        ("-m set.5", ["runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "utility", "set_P",
                      "set_relative_P", "set_recall", "set_map", "set_F"]),
    ],
)  # fmt: skip
def test_names_are_printed_with_their_parameters(
    files: Path, asked: str, printed: list[str]
) -> None:
    assert list(overall(files, asked)) == printed


def test_weights_of_the_f_score_are_no_squares(files: Path) -> None:
    # 1.5 · 1/3 · 1/2 / (0.5 · 1/3 + 1/2)
    assert by_topic(files, "-q -m set_F.0.5")["9"] == "0.3750"


def test_the_f_score_is_rounded_step_by_step(files: Path) -> None:
    # trec_eval prints 0.0937 for half of 2 · 3/19 · 3/13 / (3/19 + 3/13), which is 0.09375.
    wanted = [f"1 0 r{n} 1\n" for n in range(13)]
    found = [
        f"1 Q0 {name}{n} 1 1 t\n" for name, count in (("r", 3), ("n", 16)) for n in range(count)
    ]
    (files / "q").write_text("".join([*wanted, "2 0 z 1\n"]))
    (files / "r").write_text("".join([*found, "2 Q0 y 1 1 t\n"]))
    assert overall(files, "-m set_F") == {"set_F": "0.0937"}


def test_the_weight_of_the_f_score_is_the_number_that_was_given(files: Path) -> None:
    # trec_eval prints 0.1688 for the mean of 0.375, 0.3, 0 and 0, which is 0.16875.
    wanted = [f"1 0 a{n} 1\n" for n in range(4)] + [f"2 0 a{n} 1\n" for n in range(8)]
    (files / "q").write_text("".join([*wanted, "3 0 a 1\n4 0 a 1\n"]))
    found = [
        "1 Q0 a0 1 1 t\n",
        "1 Q0 b 2 1 t\n",
        "2 Q0 a0 1 1 t\n",
        "3 Q0 b 1 1 t\n",
        "4 Q0 b 1 1 t\n",
    ]
    (files / "r").write_text("".join(found))
    assert overall(files, "-m set_F.0.5") == {"set_F_0.5": "0.1688"}


def test_a_mean_is_summed_topic_by_topic(files: Path) -> None:
    # trec_eval prints 0.5187 for 8.3 / 16, which is 0.51875; sums in another order give 0.5188.
    hits = [7, 10, 7, 1, 10, 8, 1, 1, 3, 6, 2, 10, 1, 8, 6, 2]
    ranked = [(topic, rank) for topic in "abcdefghijklmnop" for rank in range(10)]
    count = dict(zip("abcdefghijklmnop", hits, strict=True))
    judged = [f"{topic} 0 d{rank} {int(rank < count[topic])}\n" for topic, rank in ranked]
    (files / "q").write_text("".join(judged))
    (files / "r").write_text("".join(f"{topic} Q0 d{rank} 1 1 t\n" for topic, rank in ranked))
    assert overall(files, "-m P.10") == {"P_10": "0.5187"}
    as_ours = ["evaluate", "q", "r", "--like", "trec_eval-9", "-m", "P@10", "--to", "trec"]
    assert foveal(*as_ours, folder=files).out.endswith("\t0.5187\n")


def test_of_a_cut_off_the_whole_number_counts(files: Path) -> None:
    assert overall(files, "-m P.1,2.9") == overall(files, "-m P.1,2")


def test_j_leaves_nothing_unjudged(files: Path) -> None:
    assert by_topic(files, "--as 10 -q -m unj.5")["9"] == "0.2000"
    assert by_topic(files, "--as 10 -q -J -m unj.5")["9"] == "0.0000"


def test_gains_less_than_1_apart_are_not_put_in_order(files: Path) -> None:
    # Grades 1, 2 and 3 are worth 3.5, 9 and 3; trec_eval's ideal order is 9, 3, 3.5, with a
    # discounted gain of 9 + 3/log2(3) + 3.5/2, though 9, 3.5, 3 gains more.
    (files / "q").write_text("9 0 a 1\n9 0 b 3\n9 0 c 2\n")
    (files / "r").write_text("9 Q0 a 1 3 one\n")
    assert overall(files, "-m ndcg.1=3.5,2=9") == {"ndcg_1=3.5,2=9": "0.2768"}
    # A gain below 1 is not lost, as it is there, to the documents worth nothing.
    (files / "q").write_text("9 0 a 1\n9 0 b 0\n")
    assert overall(files, "-m ndcg.1=0.5") == {"ndcg_1=0.5": "1.0000"}


@pytest.mark.parametrize(
    ("version", "value"), [("9", ["0.3333", "0.0000"]), ("10", ["0.3333", "0.3333"])]
)
def test_recall_levels_become_ranks_as_in_each_version(
    files: Path, version: str, value: list[str]
) -> None:
    # 0.6 of 2 documents are 2 in version 9 (+0.9) and 1 in version 10 (rounded).
    found = lines(files, f"--as {version} -q -n -m iprec_at_recall.0.5,0.6")
    assert [value for _, topic, value in found if topic == "9"] == value


def test_options_have_long_names_beginnings_and_any_place(files: Path) -> None:
    expected = called(files, "-q -c -l 2 -M 2 -m P.2 -m map").out
    words = "--query_eval --complete_rel_info_wanted --level_for_rel=2 --Max 2 --measure P.2 -mmap"
    assert called(files, words).out == expected
    mixed = ["trec_eval", "q", "-qcl2", "-M2", "r", "-m", "map", "-m", "P.2"]
    assert foveal(*mixed, folder=files).out == expected


def test_the_old_format_is_no_longer_another(files: Path) -> None:
    assert called(files, "-o -m map").out == called(files, "-m map").out
    assert called(files, "--Output_old_results_format x").out == called(files, "").out


def test_help_tells_of_the_measures_asked_for(files: Path) -> None:
    answer = called(files, "-h -m map -m P.5")
    assert answer.code == 0
    assert answer.out.startswith("Usage: foveal trec_eval")
    assert "Average precision" in answer.out
    assert "Average precision" not in foveal("trec_eval", "-h").out


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("-R prefs", "prefs"), ("-R qrels_prefs", "qrels_prefs"), ("-R qrels_jg", "qrels_jg"),
        ("-T other", "other"), ("-m all_prefs", "all_prefs"), ("-m prefs_simp", "prefs_simp"),
        ("-m map_avgjg", "map_avgjg"), ("-m qrels_jg", "qrels_jg"), ("-m P_5", "P_5"), ("-m mapp", "did you mean"),
        ("-m P.", "parameters are missing"), ("-m P.0", "P"), ("-m P.5,5", "twice"), ("-m P.x", "numbers"),
        ("-m P.5_0", "numbers"), ("-m utility.1,2", "four numbers"), ("-m ndcg.3", "gains"),
        ("-m rbp", "--as 10"), ("-m unj.5", "--as 10"), ("-l x", "-l"), ("-M 0", "-M"), ("-N -1", "-N"),
        ("-D 1", "-D"), ("-k", "-k"), ("--as 8", "9 or 10"), ("third", "two files"), ("-Z", "two files"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_refused_by_name(files: Path, asked: str, told: str) -> None:
    answer = called(files, asked)
    assert (answer.code, answer.out) == (2, "")
    assert told in answer.err


def test_duplicates_are_refused_by_line(files: Path) -> None:
    with (files / "r").open("a") as run:
        run.write("9 Q0 a 9 0.5 one\n")
    answer = called(files, "")
    assert (answer.code, answer.out) == (65, "")
    assert "r:8" in answer.err or "line 8" in answer.err


def test_of_several_runs_every_line_follows_the_name_of_its_run(files: Path) -> None:
    options = ["-m", "map", "--like", "trec_eval-9", "--to", "trec"]
    answer = foveal("evaluate", "q", "r", "r", *options, folder=files)
    names = [line.split()[0] for line in answer.out.splitlines()]
    assert names == ["runid", "map", "runid", "map"]
    tag = (files / "r").read_text().split()[-1]
    assert answer.out.splitlines()[0].split() == ["runid", "all", tag] != ["runid", "all", "r"]
    assert "task: document" in answer.err


def test_a_run_without_a_judged_topic_has_means_alone(files: Path) -> None:
    (files / "r").write_text("77 Q0 a 1 1 one\n")
    words = ["evaluate", "q", "r", "-m", "AP", "--per-topic", "--to", "csv"]
    answer = foveal(*words, "--like", "trec_eval-9", "--topics", "judged", folder=files)
    assert (answer.code, answer.out) == (0, "run,measure,topic,value\nr,AP,all,0.0\n")


def test_swapped_files_get_a_hint(files: Path) -> None:
    answer = foveal("trec_eval", "r", "q", folder=files)
    assert (answer.code, answer.out) == (65, "")
    first = "foveal: r looks like a run, but judgements come first: were the files swapped?"
    assert answer.err.splitlines()[0] == first
    assert "r:1: 6 columns, expected 4" in answer.err


def test_judged_passages_get_one_sentence(files: Path) -> None:
    (files / "inex").write_text("9 0 a 5 9 0 0:5\n9 0 b 0 9\n")
    answer = foveal("trec_eval", "inex", "r", folder=files)
    assert (answer.code, answer.out) == (65, "")
    assert answer.err.startswith(
        "foveal: inex: these judgements have passages, and trec_eval scores"
    )
    assert answer.err.count("\n") == 1
    made = foveal("convert", "inex", "made", "--to", "trec", "--min-highlighted", "1", folder=files)
    assert "(at least 1 highlighted character)" in made.out
    assert foveal("trec_eval", "made", "r", folder=files).code == 0


def test_judgements_with_a_broken_line_are_not_called_a_run(files: Path) -> None:
    (files / "q").write_text("9 0 a 1\n9 0 b 0 0\n")
    answer = called(files, "")
    assert (answer.code, answer.err.splitlines()[0][:12]) == (65, "foveal: q:2:")
