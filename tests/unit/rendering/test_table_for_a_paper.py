"""The one table of a comparison in LaTeX and Markdown."""

from __future__ import annotations

import re
import shutil
import subprocess
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest

import foveal
from foveal.rendering._numbers import rounded_p
from tests.scored import scores_of, simulated


def _worlds() -> foveal.Scores:
    base = np.random.default_rng(3).random(60) / 2 + 0.1
    runs = {"bm25": base, "good": base + 0.3, "fair": base + 0.2, "bad": base / 2}
    return scores_of(runs, RR={name: values[::-1] / 2 for name, values in runs.items()})


@pytest.mark.parametrize("form", ["latex", "markdown"])
def test_there_is_one_table_with_its_caption_as_a_comment(form: str) -> None:
    drawn = foveal.render(foveal.compare(_worlds(), baseline="bm25"), form)
    heads = re.findall(r"\\toprule" if form == "latex" else r"(?m)^\| -", drawn)
    assert len(heads) == 1
    caption = next(line for line in drawn.splitlines() if "Best bold" in line)
    assert caption.startswith("%" if form == "latex" else "<!--")
    dagger, triangle, most = (
        (r"\dag{}", r"$\scriptscriptstyle\bigtriangledown$", r"$\le$")
        if form == "latex"
        else ("†", "▾", "≤")
    )
    assert (
        f"Mean AP and RR over 60 topics. Best bold, second underlined. {dagger}: better than bm25;"
        f" {triangle} before it: worse (two-tailed randomization test, 100,000 resamples, p {most}"
        " 0.05, Holm over 3 comparisons within each measure). In brackets: the change to bm25."
        f" foveal {version('foveal')}."
    ) in caption


@pytest.mark.parametrize(
    ("choices", "told"),
    [
        ({}, "1,000 resamples or exact, p ≤ 0.05, Holm over 6 comparisons within each measure"),
        ({"correct": "none"}, "1,000 resamples or exact, p ≤ 0.05, not corrected"),
        ({"test": "tukey"}, "tukey test, p ≤ 0.05, which holds for all pairs together"),
        ({"test": "t"}, "two-tailed t test, p ≤ 0.05, Holm over 6 comparisons within each measure"),
    ],
)
def test_the_caption_says_how_p_was_made_and_corrected(choices: dict[str, str], told: str) -> None:
    runs = simulated(4, 60)
    # By RR runs differ on three topics.
    few = {name: [*values[:3], *[0.5] * 57] for name, values in runs.items()}
    found = foveal.compare(scores_of(runs, RR=few), resamples=1000, **choices)  # type: ignore[arg-type]
    assert f"{told}). foveal" in foveal.render(found, "markdown")


def test_hyphens_that_follow_each_other_stay_hyphens_in_latex() -> None:
    runs = dict(zip(["bm25--rm3", "a---b"], simulated(2, 9).values(), strict=True))
    table = foveal.render(foveal.compare(scores_of(runs)), "latex").split("toprule")[1]
    assert "bm25-{}-rm3" in table
    assert "a-{}-{}-b" in table


def test_cells_have_marks_of_each_baseline_and_the_change_to_the_first() -> None:
    found = foveal.compare(_worlds(), "AP", baseline=["bm25", "fair"])
    rows = [line for line in foveal.render(found, "latex").splitlines() if line.endswith(r"\\")]
    mean = {
        run: np.mean(found.values.values[0, found.values.run_index(run)])
        for run in found.values.runs
    }
    change = 100 * (mean["good"] / mean["bm25"] - 1)
    assert rows[1] == (
        rf"good & \textbf{{{mean['good']:.3f}}}\textsuperscript{{\dag{{}}\ddag{{}}}}\,{{\tiny ({change:+.1f} \%)}} \\"
    )
    assert rows[2] == rf"fair & \underline{{{mean['fair']:.3f}}} \\"
    worse = r"$\scriptscriptstyle\bigtriangledown$"
    assert rf"\textsuperscript{{{worse}\dag{{}}{worse}\ddag{{}}}}\,{{\tiny (-50.0 \%)}}" in rows[4]


def test_without_baselines_marks_are_the_ranks_of_runs_that_are_worse() -> None:
    drawn = foveal.render(foveal.compare(_worlds(), "AP"), "markdown")
    assert re.search(r"\| 1 \| good \| \*\*0\.\d{3}\*\*<sup>2-4</sup> \|", drawn)
    assert re.search(r"\| 2 \| fair \| <ins>0\.\d{3}</ins><sup>3-4</sup> \|", drawn)
    assert "Superscripts: the ranks of the runs that a run is better than (" in drawn


def test_the_second_is_marked_after_rounding_and_never_of_two_runs() -> None:
    values = np.linspace(0.1, 0.6, 20)
    runs = {"a": values, "b": values - 0.0001, "c": values - 0.1, "d": values - 0.2}
    rows = foveal.render(foveal.compare(scores_of(runs)), "latex").splitlines()
    assert [row.split("&")[2].count("textbf") for row in rows if "0." in row and "&" in row] == [
        1,
        1,
        0,
        0,
    ]
    assert [row.count("underline") for row in rows if "0." in row and "&" in row] == [0, 0, 1, 0]
    two = {name: runs[name] for name in ("a", "c")}
    assert "underline" not in foveal.render(foveal.compare(scores_of(two)), "latex")


@pytest.mark.parametrize(
    ("decimals", "shown"),
    [
        (None, {"latex": "0.123", "text": "0.1235"}),
        (0, {"latex": "0", "text": "0"}),
        (6, {"latex": "0.123456", "text": "0.123456"}),
    ],
)
def test_decimals_are_three_in_papers_and_four_elsewhere_or_as_asked(
    decimals: int | None, shown: dict[str, str]
) -> None:
    found = foveal.compare(scores_of({"a": [0.123456] * 3, "b": [0.6] * 3}))
    for form, number in shown.items():
        drawn = foveal.render(found, form, decimals=decimals)
        assert re.search(rf"(?<![\d.]){re.escape(number)}(?!\d)", drawn), (form, drawn)


def test_p_always_has_two_digits() -> None:
    told = {0.5: "0.50", 0.049_96: "0.050", 0.001_234: "0.0012", 0.000_099: "<0.0001", 1.0: "1.0"}
    assert {p: rounded_p(p) for p in told} == told


PDFLATEX = shutil.which("pdflatex")


def test_names_of_runs_and_the_caption_are_set_as_they_are(tmp_path: Path) -> None:
    names = ["50%_off & more", "a#b{c}", "x^2~y\\z", "[1]", "<p> $|"]
    runs = dict(zip(names, simulated(5, 40).values(), strict=True))
    for baselines in ([], names[:1], names[:2]):
        found = foveal.compare(scores_of(runs, RR=runs), baseline=baselines)
        table = foveal.render(found, "latex")
        caption = next(line[2:] for line in table.splitlines() if "Best bold" in line)
        compiled(rf"\begin{{table}}{table}\caption{{{caption}}}\end{{table}}", tmp_path)


def compiled(text: str, folder: Path) -> str:
    """What pdflatex says of a text, which it must be able to set."""
    if PDFLATEX is None:
        pytest.skip("no pdflatex on this machine")
    document = rf"""\documentclass{{article}}\usepackage{{booktabs}}\usepackage[utf8]{{inputenc}}
\textwidth=14cm\begin{{document}}
{text}
\end{{document}}"""
    (folder / "table.tex").write_text(document, "utf-8")
    done = subprocess.run(
        [str(PDFLATEX), "-interaction=nonstopmode", "-halt-on-error", "table.tex"],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.mark.parametrize("width", ["8.4cm", "12.2cm"])
@pytest.mark.parametrize(
    ("baselines", "size"), [((), ""), (("run0",), ""), (("run0", "run1"), r"\small")]
)
def test_the_table_fits_a_column_of_a_paper(
    width: str, baselines: tuple[str, ...], size: str, tmp_path: Path
) -> None:
    runs = simulated(10, 60, spread=0.03)
    scores = scores_of(runs, RR=runs, nDCG=runs)
    table = foveal.render(foveal.compare(scores, baseline=baselines), "latex")
    box = rf"\noindent\begin{{minipage}}{{{width}}}{size}"
    assert "Overfull" not in compiled(f"{box}\n{table}\n\\end{{minipage}}", tmp_path)
