"""What a log of events says about a document, worked by hand."""

from __future__ import annotations

from foveal.assess import Event
from foveal.assess.replay import Judgement, replayed
from tests.campaigns import act


def test_marks_that_touch_are_joined() -> None:
    assert replayed([act("mark", start=0, stop=5), act("mark", start=5, stop=9)]).spans == ((0, 9),)


def test_text_is_unmarked_in_the_middle() -> None:
    log = [act("mark", start=0, stop=10), act("unmark", start=4, stop=6)]
    assert replayed(log).spans == ((0, 4), (6, 10))


def test_undoing_the_first_of_two_marks_keeps_the_second() -> None:
    first, second = act("mark", start=0, stop=10), act("mark", start=5, stop=15)
    assert replayed([first, second, act("undo", undoes=first.id)]).spans == ((5, 15),)


def test_undoing_an_undo_brings_the_act_back() -> None:
    first = act("mark", start=0, stop=10)
    undo = act("undo", undoes=first.id)
    assert replayed([first, undo]).spans == ()
    assert replayed([first, undo, act("undo", undoes=undo.id)]).spans == ((0, 10),)


def test_a_change_takes_done_back_and_a_repeated_mark_does_not() -> None:
    log = [act("mark", start=0, stop=10), act("entry", start=0), act("done")]
    assert replayed(log) == Judgement(((0, 10),), 0, done=True)
    assert replayed([*log, act("mark", start=2, stop=4)]).done
    assert not replayed([*log, act("unmark", start=2, stop=4)]).done
    assert not replayed([*log, act("no-entry")]).done


def test_undoing_what_came_before_done_takes_it_back_until_that_is_undone() -> None:
    mark = act("mark", start=0, stop=10)
    undo = act("undo", undoes=mark.id)
    log = [mark, act("done"), undo]
    assert not replayed(log).done
    assert replayed([*log, act("undo", undoes=undo.id)]).done


def test_a_change_after_done_that_is_undone_is_none() -> None:
    mark = act("mark", start=0, stop=10)
    assert replayed([act("done"), mark, act("undo", undoes=mark.id)]).done


def named(*aspects: str | None) -> list[Event]:
    """A mark of [0, 10) with each aspect."""
    return [act("mark", start=0, stop=10, value=aspect) for aspect in aspects]


def test_aspects_share_text_and_come_in_the_order_of_their_first_use() -> None:
    log = [*named("b", "a"), act("mark", start=8, stop=14, value="b")]
    found = replayed(log)
    assert found.spans == ((0, 14),)
    assert found.aspects == (("b", ((0, 14),)), ("a", ((0, 10),)))
    # Marks without an aspect leave aspects alone.
    assert replayed([*log, *named(None)]) == found


def test_text_that_is_removed_has_no_aspect_any_more() -> None:
    found = replayed([*named("a", "b"), act("unmark", start=0, stop=4)])
    assert found.aspects == (("a", ((4, 10),)), ("b", ((4, 10),)))
    assert replayed([*named("a"), act("unmark", start=0, stop=10)]) == Judgement()


def test_an_aspect_is_removed_and_the_text_stays() -> None:
    log = [*named("a", "b"), act("unmark", start=0, stop=6, value="a")]
    assert replayed(log) == Judgement(((0, 10),), aspects=(("a", ((6, 10),)), ("b", ((0, 10),))))
    gone = act("unmark", start=2, stop=30, value="a")
    assert replayed([*log, gone]).aspects == (("b", ((0, 10),)),)
    assert replayed([*log, gone, act("undo", undoes=gone.id)]) == replayed(log)


def test_a_change_of_aspects_takes_done_back_and_another_order_does_not() -> None:
    log = [*named("a", "b", "a"), act("done")]
    assert replayed(log).done
    assert not replayed([*log, *named("c")]).done
    assert not replayed([*log, act("unmark", start=3, stop=4, value="b")]).done
    assert replayed([*log, act("unmark", start=3, stop=4, value="other"), *named("a")]).done
    turned = replayed([*log, act("undo", undoes=log[0].id)])
    assert [name for name, _ in turned.aspects] == ["b", "a"]
    assert turned.done
