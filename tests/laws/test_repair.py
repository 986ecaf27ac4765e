"""Laws that hold for every repaired run, whatever it was before."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from foveal.choices import Keep, Order, Task
from foveal.formats import RUN_FORMATS, read_run
from foveal.rules import RepairOptions, repaired, task_findings
from foveal.tables import Run, RunRows
from tests.examples import examples
from tests.held import held
from tests.strategies import LONGEST, World, worlds

INEX = RUN_FORMATS["inex"]
LENGTHS = st.sampled_from([None, 0, 3, LONGEST])
# Every world is repaired twice or checked, and most have three topics that need it.
few = examples(50)


@st.composite
def wishes(draw: st.DrawFn, *, characters: bool) -> RepairOptions:
    return RepairOptions(
        task=draw(st.sampled_from(list(Task))),
        keep=draw(st.sampled_from(list(Keep))),
        characters=draw(st.integers(1, 2 * LONGEST)) if characters else None,
    )


@st.composite
def orders(draw: st.DrawFn, run: Run) -> Run:
    """The run as it is, or read in another order that its columns allow."""
    filled = [Order(name) for name in ("rank", "score") if not run.frame[name].null_count()]
    return replace(run, order=draw(st.sampled_from([run.order, Order.FILE, *filled])))


def measured(run: Run, length: int | None) -> Run:
    """The run with all documents of one length, if any."""
    if length is None:
        return run
    names = run.frame["doc"].unique()
    return replace(run, lengths=pl.DataFrame({"doc": names, "length": [length] * len(names)}))


@few
@given(world=worlds(beyond=5), length=LENGTHS, data=st.data())
def test_repairing_again_changes_nothing(
    world: World, length: int | None, data: st.DataObject
) -> None:
    run = data.draw(orders(measured(world.run, length)))
    wanted = data.draw(wishes(characters=length is not None))
    once = repaired(run, wanted)
    again = repaired(once.run, wanted)
    assert again.changes == ()
    assert again.run.equals(once.run)


@few
@given(world=worlds(beyond=5), length=LENGTHS, data=st.data())
def test_a_repaired_run_passes_the_check(
    world: World, length: int | None, data: st.DataObject
) -> None:
    run = data.draw(orders(measured(world.run, length)))
    wanted = data.draw(wishes(characters=False))
    fixed = repaired(run, wanted).run
    findings = task_findings(fixed, None, wanted.task)
    rules = {finding.rule for finding in findings}
    assert not [finding for finding in findings if finding.severity == "error"]
    assert rules.isdisjoint({"rank-against-score", "repeated-ranks", "file-order"})


@few
@given(world=worlds(), data=st.data())
def test_what_is_kept_was_there_and_what_is_gone_is_counted(
    world: World, data: st.DataObject
) -> None:
    run = data.draw(orders(world.run))
    repair = repaired(run, data.draw(wishes(characters=False)))
    columns = ["topic", "doc", "start", "end"]
    before, after = (table.frame.select(columns).rows() for table in (run, repair.run))
    left = list(before)
    for row in after:
        left.remove(row)
    removed = {"overlap", "repeated-document"}
    assert sum(change.count for change in repair.changes if change.rule in removed) == len(left)


@few
@given(world=worlds(), data=st.data())
def test_a_repaired_run_can_be_written_and_checked_again(world: World, data: st.DataObject) -> None:
    spans = world.run.frame.filter(pl.col("start").is_not_null())
    if spans.is_empty():
        return
    one_word = pl.col("topic").str.replace_all(" ", "-")
    spans = spans.with_columns(one_word, pl.lit(1.0).alias("score"))
    run = data.draw(orders(Run.of(RunRows(frame=spans, name="mine", order=Order.FILE))))
    wanted = data.draw(wishes(characters=False))
    fixed = repaired(run, wanted).run
    if fixed.frame.is_empty():
        return
    again = read_run(held(INEX.write(fixed)), "inex")
    assert repaired(again, wanted).changes == ()
