"""Column names are spelled in one file; elsewhere frames are addressed by its constants."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.each import each

from foveal.tables import columns

SOURCE = Path(__file__).resolve().parents[2] / "src" / "foveal"
FILES = [path for path in sorted(SOURCE.rglob("*.py")) if path.name != "_columns.py"]
CONSTANTS = {
    value: name
    for name, value in vars(columns).items()
    if name.isupper() and isinstance(value, str) and name != "ALL_TOPICS"
}
# What is called on frames and expressions, or makes them, with names of columns among its arguments.
ADDRESSING = {
    "agg", "alias", "col", "drop", "drop_nulls", "explode", "filter", "frame_of",
    "get_column", "group_by", "otherwise", "over", "partition_by", "pivot", "rename", "select", "sort",
    "sort_by", "then", "top_k", "unique", "unnest", "unpivot", "when", "with_columns", "with_row_index",
}  # fmt: skip
MAKING = {
    "DataFrame", "LazyFrame", "Schema", "Series", "coalesce", "concat_list", "concat_str", "first",
    "last", "len", "max", "max_horizontal", "mean", "median", "min", "min_horizontal", "struct", "sum",
}  # fmt: skip
ARGUMENTS = {
    "by", "columns", "index", "left_on", "on", "right_on", "schema", "schema_overrides", "subset",
}  # fmt: skip
NAMES = {"name", "value_name", "variable_name"}
# Words in brackets behind these name no columns: parts of a match, parameters, settings, facts, colours,
# what a campaign says about itself, a request.
OTHERS = {
    "Literal", "arguments", "colours", "facts", "match", "meta", "scope", "settings", "shown", "spelling",
    "token",
}  # fmt: skip
LITERALS = (ast.Constant, ast.Dict, ast.List, ast.Set, ast.Tuple)


def raw_names(code: str) -> list[str]:
    """Where code addresses a frame by a raw string; one held by a name must be a known column."""
    tree = ast.parse(code)
    held: dict[str, list[ast.expr]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, LITERALS):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                held.setdefault(ast.unparse(target), []).append(node.value)
    found: set[tuple[int, str]] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript):
            owner = node.value.id if isinstance(node.value, ast.Name) else ""
            found |= {
                at for at in _strings(node.slice) if at[1] in CONSTANTS and owner not in OTHERS
            }
        for place in _addressed(node):
            found |= set(_strings(place))
            values = held.get(ast.unparse(place), [])
            found |= {at for value in values for at in _strings(value) if at[1] in CONSTANTS}
        if isinstance(node, ast.Call) and _called(node) in {"agg", "select", "with_columns"}:
            found |= {(word.value.lineno, word.arg) for word in node.keywords if word.arg}
    return [
        f"line {line}: {text!r} is columns.{CONSTANTS[text]}"
        if text in CONSTANTS
        else f"line {line}: {text!r} belongs to the columns, or is no column"
        for line, text in sorted(found)
    ]


def _addressed(node: ast.AST) -> Iterator[ast.expr]:
    """The expressions in which names of columns are expected."""
    if isinstance(node, ast.Dict) and any(map(_of_polars, node.values)):
        yield node
    if not isinstance(node, ast.Call):
        return
    name, of_polars = _called(node), _of_polars(node.func)
    if name in ADDRESSING or (of_polars and name in MAKING):
        yield from node.args
        yield from (word.value for word in node.keywords if word.arg in NAMES)
    given = [argument for argument in node.args if isinstance(argument, ast.Dict)]
    if name == "rename":
        yield from (value for argument in given for value in argument.values)
    if name == "cast":
        yield from given
    if name in ADDRESSING | {"join"} or of_polars:
        yield from (word.value for word in node.keywords if word.arg in ARGUMENTS)


def _called(node: ast.Call) -> str:
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""


def _of_polars(node: ast.expr) -> bool:
    """Whether this is an attribute of `pl`, such as a type in a schema."""
    return isinstance(node, ast.Attribute) and ast.unparse(node.value) == "pl"


def _strings(node: ast.expr) -> Iterator[tuple[int, str]]:
    """The names in an argument: one, several, or the keys of a dict."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.lineno, node.value
    elif isinstance(node, ast.Dict):
        for key in node.keys:
            yield from _strings(key) if key else ()
    elif isinstance(node, ast.List | ast.Tuple | ast.Set):
        for item in node.elts:
            yield from _strings(item)
    elif isinstance(node, ast.IfExp):
        yield from (*_strings(node.body), *_strings(node.orelse))


@each("path", FILES)
def test_column_names_are_spelled_in_one_file(path: Path) -> None:
    assert not raw_names(path.read_text(encoding="utf-8"))


def test_a_column_has_one_constant() -> None:
    named = [name for name in vars(columns) if name.isupper()]
    spelled = [getattr(columns, name) for name in named]
    words = [word for word in spelled if isinstance(word, str)]
    assert len(words) == len(set(words))


@pytest.mark.parametrize(
    "planted",
    [
        'frame.filter(pl.col("level") > 1)',
        'pl.col(c.LEVEL).alias("share_left")',
        'frame["level"]',
        'row["left_out"]',
        'frame.select(c.TOPIC, "level")',
        'frame.with_columns(level=pl.lit(1))',
        'frame.join(other, on=[c.TOPIC, "level"])',
        'frame.group_by("measure").agg(pl.median("level"))',
        'frame.rename({c.LEVEL: "depth"})',
        'pl.DataFrame({"level": [1]})',
        'rows = {"level": [1]}\nframe_of(measures, rows, {})',
        'KEY = ["measure", "level"]\nframe.drop(KEY)',
        'SHAPE = {"level": pl.Int64}',
        'pl.read_parquet(file, columns=["doc"])',
        'pl.when(whole).then("level")',
    ],
)  # fmt: skip
def test_a_raw_name_is_caught(planted: str) -> None:
    assert raw_names(planted)


@pytest.mark.parametrize(
    "fine",
    [
        'frame.select(c.TOPIC, pl.col(c.LEVEL).alias(columns.DEPTH))',
        'frame.filter(pl.col(c.TOPIC) == "level")',
        'raise DataError("level")',
        'Table(["measure", "level"], rows)',
        '{"settings": settings, "pairs": found.pairs}',
        'shown["depth"] = "5"',
        '", ".join(["level", "depth"])',
        'KEPT = "kept"\npl.col(KEPT)',
        'frame.join(other, on=key, how="left", maintain_order="left")',
        'pl.DataFrame(rows, orient="row")',
    ],
)  # fmt: skip
def test_other_words_are_fine(fine: str) -> None:
    assert not raw_names(fine)
