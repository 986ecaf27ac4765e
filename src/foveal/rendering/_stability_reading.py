"""What a study of stability says, in a paragraph made from its numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from foveal.analysis import EQUAL_WITHIN
from foveal.choices import Experiment
from foveal.late import pl
from foveal.rendering._numbers import hundredths, percent, tenths_of_percent
from foveal.studies import Stability, StudyFrame
from foveal.tables import columns as c

# Voorhees (2000): rankings that agree this well count as the same.
ALIKE = 0.9
TOLERATED = 0.05
TIES_ONLY = "Every ranking has nothing but ties: there is no order that could change."


def agreement(study: Stability) -> Iterator[str]:
    what = "passages" if study.experiment is Experiment.POOL else "topics"
    frame = study.curves.drop_nulls(c.MEAN)
    if frame.is_empty():
        yield TIES_ONLY
        return
    worst, best = _extremes(frame, c.MEAN)
    if best == worst:
        yield f"{_all(best)}: the mean τ is {_course(frame, best, c.MEAN, hundredths)} of the {what}."
    else:
        course = _course(frame, best, c.MEAN, hundredths)
        yield f"{_all(best)} {_do('hold', best)} best: the mean τ is {course} of the {what}."
        course = _course(frame, worst, c.MEAN, hundredths)
        yield f"{_all(worst)} {_do('hold', worst)} least: {course}."
    promise = f"τ stays at {ALIKE} or more"
    yield _from_level(frame, c.MEAN, lambda mean: mean >= ALIKE, promise, what)
    known = set(frame[c.MEASURE])
    if tied := [name for name in study.measures if name not in known]:
        yield f"{_all(tied)} {_do('rank', tied)} nothing: all runs are tied."


def errors(study: Stability) -> Iterator[str]:
    frame = study.curves
    promise = f"The error stays under {percent(TOLERATED)}"
    yield _from_level(frame, c.RATE, lambda rate: rate < TOLERATED, promise, "topics")
    least, most = _extremes(frame, c.RATE)
    course = _course(frame, least, c.RATE, tenths_of_percent)
    if least == most:
        yield f"{_all(least)}: {course} of the topics."
        return
    yield f"{_all(least)} {_do('err', least)} least: {course} of the topics."
    yield f"{_all(most)} {_do('err', most)} most: {_course(frame, most, c.RATE, tenths_of_percent)}."


def _extremes(frame: pl.DataFrame, value: str) -> tuple[list[str], list[str]]:
    """The measures whose values are lowest and highest on average over the levels."""
    means = frame.group_by(c.MEASURE, maintain_order=True).agg(pl.col(value).mean())
    lowest, highest = (
        means.filter((pl.col(value) - end).abs() <= EQUAL_WITHIN)[c.MEASURE].to_list()
        for end in (pl.col(value).min(), pl.col(value).max())
    )
    return lowest, highest


def _course(
    frame: pl.DataFrame, measures: Sequence[str], value: str, number: Callable[[float], str]
) -> str:
    """What measures come to at the highest and at the lowest level, each course told once."""
    courses = []
    for measure in measures:
        own = frame.filter(pl.col(c.MEASURE) == measure).sort(c.LEVEL, descending=True)
        ends = own.select(c.LEVEL, value).rows()
        shown = [f"{number(height)} at {level} %" for level, height in (ends[0], ends[-1])]
        courses.append(" and ".join(dict.fromkeys(shown)))
    return ", or ".join(dict.fromkeys(courses))


def _from_level(
    frame: pl.DataFrame, value: str, holds: Callable[[float], bool], promise: str, what: str
) -> str:
    """From which level on, up to the highest, each measure keeps what is promised."""
    levels: dict[int | None, list[str]] = {}
    for (measure,), own in frame.group_by(c.MEASURE, maintain_order=True):
        reached = None
        for level, number in own.sort(c.LEVEL, descending=True).select(c.LEVEL, value).iter_rows():
            if not holds(number):
                break
            reached = level
        levels.setdefault(reached, []).append(str(measure))
    never, highest = levels.pop(None, []), max(frame[c.LEVEL].to_list())
    if not levels:
        return f"{promise} with none of the measures, not even at {highest} % of the {what}."
    first, *others = sorted(level for level in levels if level is not None)
    if not (others or never):
        return f"{promise} from {first} % of the {what} on, whatever the measure."
    parts = [f"from {first} % of the {what} on with {_all(levels[first])}"]
    parts += [f"from {level} % on with {_all(levels[level])}" for level in others]
    ending = f"; not even at {highest} % with {_all(never)}" if never else ""
    return f"{promise} {', '.join(parts)}{ending}."


def swaps(study: Stability) -> Iterator[str]:
    frame = study.frames[StudyFrame.NEEDED]
    level = max(frame[c.LEVEL].to_list())
    last = frame.filter(pl.col(c.LEVEL) == level)
    known = last.drop_nulls(c.DIFFERENCE).sort(c.DIFFERENCE, maintain_order=True)
    needed = [
        f"{hundredths(difference)} in {measure}"
        for measure, difference in known.select(c.MEASURE, c.DIFFERENCE).iter_rows()
        if difference > 0
    ]
    if needed:
        yield (
            f"For two runs to keep their order on {level} % of other topics, but for one pair in"
            f" twenty, they must differ by {_all(needed)}."
        )
    if any_will_do := known.filter(pl.col(c.DIFFERENCE) == 0)[c.MEASURE].to_list():
        yield f"Every difference that was seen on {level} % of the topics is enough in {_all(any_will_do)}."
    if len(known) < len(last):
        names = last.filter(pl.col(c.DIFFERENCE).is_null())[c.MEASURE].to_list()
        yield f"No difference that was seen is enough in {_all(names)}."


def plane(study: Stability) -> Iterator[str]:
    frame = study.frames[StudyFrame.CELLS].drop_nulls(c.TAU).filter(pl.col(c.TAU) >= ALIKE)
    cost = pl.col(c.TOPICS) * pl.col(c.PASSAGES)
    ordered = frame.select(c.MEASURE, c.TOPICS, c.PASSAGES).sort(cost, maintain_order=True)
    cheapest = ordered.group_by(c.MEASURE, maintain_order=True).first()
    plans: dict[str, list[str]] = {}
    for measure, topics, passages in cheapest.iter_rows():
        plan = f"{topics} % of the topics with {passages} % of their passages"
        plans.setdefault(plan, []).append(measure)
    if not plans:
        yield TIES_ONLY
        return
    parts = [f"{plan} by {_all(names)}" for plan, names in plans.items()]
    yield f"The fewest judgements that keep τ at {ALIKE} or more: {'; '.join(parts)}."


def finders(study: Stability) -> Iterator[str]:
    frame = study.frames[StudyFrame.FINDERS]
    alone = frame.filter(pl.col(c.PASSAGES) > 0)
    count, finders = (own[c.LEFT_OUT].n_unique() for own in (frame, alone))
    yield f"{finders} of {count} have found passages that nobody else has."
    judged = alone.drop_nulls(c.PLACES).sort(c.PLACES, descending=True, maintain_order=True)
    if not judged.is_empty():
        worst = judged.row(0, named=True)
        known = judged[c.TAU].drop_nulls().to_list()
        agreement = f", and τ never falls below {hundredths(min(known))}" if known else ""
        if worst[c.PLACES] > 0:
            places = "1 place" if worst[c.PLACES] == 1 else f"{worst[c.PLACES]} places"
            yield (
                f"Judged without them, {worst[c.LEFT_OUT]} loses most: {places} by"
                f" {worst[c.MEASURE]}{agreement}."
            )
        else:
            yield f"Judged without them, none of their runs loses a place{agreement}."
    nothing = alone.filter(pl.col(c.PLACES).is_null())[c.LEFT_OUT].unique(maintain_order=True)
    if len(nothing):
        yield f"Without those of {_all(nothing.to_list())} no passage is left."


def depths(study: Stability) -> Iterator[str]:
    frame = study.frames[StudyFrame.DEPTHS].drop_nulls(c.TAU)
    reached: dict[int, list[str]] = {}
    for (measure,), own in frame.group_by(c.MEASURE, maintain_order=True):
        alike = (pl.col(c.TAU) >= ALIKE).cum_prod().cast(pl.Boolean)
        deep = own.sort(c.DEPTH, descending=True).filter(alike)
        if not deep.is_empty():
            reached.setdefault(int(deep[c.DEPTH][-1]), []).append(str(measure))
    parts = [f"{depth} with {_all(names)}" for depth, names in sorted(reached.items())]
    if parts:
        yield f"τ keeps at {ALIKE} or more when the pool is made of each run's first parts: {', '.join(parts)}."
    else:
        yield f"No pool of those tried keeps τ at {ALIKE} or more."


def _do(verb: str, names: Sequence[str]) -> str:
    """A verb as it agrees with its subjects."""
    return verb if len(names) > 1 else f"{verb}s"


def _all(names: Sequence[str]) -> str:
    """Names as they are listed in a sentence."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last
