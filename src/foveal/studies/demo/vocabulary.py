"""The themes of the demo world and the sentences that can be made about them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from foveal.frozen import frozen

Item = TypeVar("Item")


@frozen(eq=False)
class DemoTheme:
    """A theme to write about: its title and typical words."""

    title: str
    nouns: tuple[str, ...]
    adjectives: tuple[str, ...]


@frozen
class Phrase:
    """A sentence and the word in it that may be emphasised."""

    text: str
    keyword: str


def _theme(title: str, nouns: str, adjectives: str) -> DemoTheme:
    return DemoTheme(title, tuple(nouns.split()), tuple(adjectives.split()))


GENERAL = _theme(
    "of no theme in particular",
    "letter road committee archive winter clerk visitor ledger decade custom rumour meeting",
    "ordinary quiet lengthy local former curious",
)

THEMES = (
    _theme("lighthouse keepers and their lamps", "keeper lamp beacon lens reef fog", "revolving salty distant"),
    _theme("growing seaweed for food", "kelp lagoon raft harvest tide diver", "edible brackish slippery"),
    _theme("restoring old violins", "violin varnish bridge soundpost luthier scroll", "resonant cracked maple"),
    _theme("night trains across the mountains", "sleeper carriage tunnel gradient porter viaduct", "narrow-gauge snowbound nightly"),
    _theme("honey bees in the city", "hive queen swarm rooftop nectar keeper", "buzzing docile waxen"),
    _theme("desert astronomy", "telescope mirror observatory comet dune galaxy", "cloudless orbital faint"),
    _theme("paper making by hand", "pulp mould felt sheet watermark vat", "fibrous deckle-edged creamy"),
    _theme("volcanoes and soil", "crater lava ash slope eruption vineyard", "fertile molten dormant"),
    _theme("medieval bridges", "arch pier toll mason keystone river", "vaulted crumbling cobbled"),
    _theme("mountain cheese", "rind cellar herder curd pasture rennet", "alpine crumbly ripened"),
    _theme("polar expeditions", "sledge glacier husky compass crevasse captain", "frozen stranded uncharted"),
    _theme("typefaces for newspapers", "serif column headline punch ligature press", "condensed legible inky"),
    _theme("flood defences", "dyke sluice polder pump levee surge", "low-lying waterlogged reinforced"),
    _theme("street puppetry", "puppet string booth showman curtain glove", "carved jointed comic"),
    _theme("silk and its trade routes", "silkworm cocoon caravan loom oasis merchant", "lustrous dyed woven"),
    _theme("urban foxes", "fox den cub alley scavenger whisker", "russet nocturnal wary"),
    _theme("clock towers", "pendulum escapement dial chime gear belfry", "punctual gilded mechanical"),
    _theme("wild mushrooms", "mushroom spore mycelium basket birch forager", "poisonous gilled earthy"),
    _theme("deep sea cables", "cable splice seabed repeater vessel fibre", "submarine insulated frayed"),
    _theme("ballooning", "balloon burner gondola ballast pilot updraught", "tethered airborne silken"),
    _theme("salt mines", "shaft brine crystal seam lantern miner", "subterranean briny crystalline"),
    _theme("early cinema", "projector reel screen pianist intertitle usher", "flickering silent grainy"),
    _theme("terraced rice", "paddy terrace seedling buffalo monsoon sickle", "flooded stepped verdant"),
    _theme("stained glass", "pane solder window furnace glazier tracery", "leaded crimson translucent"),
    _theme("migrating storks", "stork nest flock thermal chimney wetland", "long-legged returning ringed"),
    _theme("public libraries on wheels", "van shelf reader catalogue bookplate driver", "overdue itinerant well-thumbed"),
    _theme("perfume and distillation", "petal still essence flask jasmine resin", "fragrant volatile amber"),
    _theme("chess cafés", "gambit bishop endgame champion board stalemate", "cunning smoky undefeated"),
    _theme("tidal power", "turbine estuary barrage generator current blade", "renewable predictable submerged"),
    _theme("maps that were wrong", "cartographer atlas island meridian legend surveyor", "phantom misplaced engraved"),
)  # fmt: skip

VERBS = (
    "changed", "followed", "outlived", "protected", "resembled", "replaced", "surprised", "shaped",
    "threatened", "supported", "divided", "inspired",
)  # fmt: skip

PLACES = ("harbour", "valley", "old town", "northern coast", "capital", "border", "province")

YEARS = range(1780, 1990)

PATTERNS = (
    "The {adjective} {noun} {verb} the {other}.",
    "In {year} the {noun} {verb} every {adjective} {other} of the {place}.",
    "Each {noun} {verb} more than one {adjective} {other}.",
    "Without the {other}, no {adjective} {noun} would have lasted.",
    "Visitors to the {place} still ask about the {adjective} {noun} and the {other}.",
    "Notes from {year} mention the {noun}, the {other} and little else.",
    "It was the {noun}, not the {other}, that {verb} the {place}.",
    "Much depends on the {adjective} {noun} and on the {other} behind it.",
    "Nobody from the {place} had seen such {adjective} work on the {noun} since {year}.",
    "Whoever knows the {noun} will recognise the {other} at once.",
    "Around {year} the {other} gave way to the {adjective} {noun}.",
    "Once the {noun} {verb} the {other}, the {place} took notice.",
)

# They have characters that are escaped in XML or take more than one byte or UTF-16 unit, because
# these are the ones that make offsets go wrong.
ASIDES = (
    "as Zoë Dvořák wrote",
    "according to Hartley & Sons",
    "at a price of 3 € or less",
    "which the poet 李白 foresaw",
    "marked 𝄞 in the margin",
    "if x < y, as they say",
)


class _Choices:
    """Many small choices from one random number, as each call of a generator is slow."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._state = int(rng.integers(1 << 62))

    def one_of(self, items: Sequence[Item]) -> Item:
        """One of the items."""
        self._state, index = divmod(self._state, len(items))
        return items[index]

    def two_nouns(self, theme: DemoTheme) -> tuple[str, str]:
        """Two different nouns of a theme."""
        first = self.one_of(theme.nouns)
        return first, self.one_of([noun for noun in theme.nouns if noun != first])


def sentence(rng: np.random.Generator, theme: DemoTheme) -> Phrase:
    """A sentence about a theme, with a capital letter and a full stop."""
    choices = _Choices(rng)
    noun, other_noun = choices.two_nouns(theme)
    text = choices.one_of(PATTERNS).format(
        noun=noun,
        other=other_noun,
        adjective=choices.one_of(theme.adjectives),
        verb=choices.one_of(VERBS),
        place=choices.one_of(PLACES),
        year=choices.one_of(YEARS),
    )
    if choices.one_of(range(16)) == 0:
        text = f"{text.removesuffix('.')}, {choices.one_of(ASIDES)}."
    return Phrase(text, noun)


def heading(rng: np.random.Generator, theme: DemoTheme) -> str:
    """A title, without a full stop."""
    choices = _Choices(rng)
    noun, other_noun = choices.two_nouns(theme)
    return f"The {choices.one_of(theme.adjectives)} {noun} and the {other_noun}"
