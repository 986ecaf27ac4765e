"""A page for each command, from what the command line itself knows of it."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import click
import yaml

from foveal.cli._main import cli
from foveal.cli._scoring import UNDERSTOOD, ScoringCommand
from foveal.trec_eval import usage
from foveal.trec_eval.arguments import LONG
from tools.exit_codes import exit_codes
from tools.making import Lines, Page, block, code, page_text, prose, table, whole_pages
from tools.pages import ROOT

FOLDER = "reference/commands"
HEADINGS = ("Usage", "Arguments", "Options", "Examples", "Exit codes", "Read more")
OR_SCORES = "or files of scores of any program, without judgements"
# What a word of the usage line is; a command may have its own sentence.
ARGUMENTS = {
    "EXPERIMENT": "What is taken away: `pool`, `topics`, `error-rate`, `swap`, `leave-out` or `depth`.",
    "QRELS": "The judgements: a file in [any known format](../../formats.md#judgements).",
    "RUN": "A run: a file in [any known format](../../formats.md#runs).",
    "RUN...": "One run or more: files in [any known format](../../formats.md#runs).",
    "RUN RUN...": "Two runs or more: files in [any known format](../../formats.md#runs).",
    "RUN | SCORES": f"A run, after its judgements, in [any known format](../../formats.md#runs); {OR_SCORES}.",
    "RUN... | SCORES...": f"One run or more, after their judgements: files in [any known format](../../formats.md#runs); {OR_SCORES}.",
    "RUN RUN... | SCORES...": f"Two runs or more, after their judgements: files in [any known format](../../formats.md#runs); {OR_SCORES}.",
    "RESULTS": "The run, a file in TREC's format.",
    "CAMPAIGN": "The file of the campaign, made by `foveal assess new`.",
    "CAMPAIGN|QRELS...": "One campaign, or files of judgements.",
    "NAME": "The name of an assessor or adjudicator.",
    "FILE...": "One file or more: logs (`foveal assess export --to log`) or judgements.",
    "DIR": "The folder to write into.",
    "IN...": "One file or more to convert.",
    "OUT": "The file to write; a folder if there are several files.",
    "COLLECTION...": "One or more files, folders or archives (tar, zip) of XML documents.",
    "INDEX": "An offset index, made by `foveal index`.",
    "DOC": "The identifier of a document in the index.",
    "PATH": "The path of an element, of a text node, or of a point in a text node.",
}
OWN_ARGUMENTS = {
    ("foveal assess new", "CAMPAIGN"): "The file to make.",
    ("foveal measures", "NAME"): "The measure to explain; without it, all are listed.",
    ("foveal trec_eval", "QRELS"): "The judgements, a file in TREC's format.",
}
# Where a command's exit code says more than that it went well or failed.
OWN_CODES = {
    ("foveal check", 0): "The run breaks no rule that is an error.",
    ("foveal check", 65): "The run breaks a rule that is an error, or cannot be read.",
    ("foveal gate", 0): "All that is demanded holds.",
    ("foveal gate", 1): "A demand does not hold.",
}
ONLY_OF_GATES = 1
# The page that has the rare options of scoring.
SHOWN_BY = "[`foveal evaluate`](evaluate.md#options)"
# The default of a format, which is no value of the option.
RECOGNISED = "recognised"
# Sections of the site whose titles alone would not say what a page is about.
NAMED_BY_SECTION = {"Why", "Coming from"}
# Options of trec_eval that its help does not list.
TREC_EVAL_REST = (
    "For scripts that give them: `-v`, `--version` prints which version is reproduced; `-R`,"
    " `--Rel_info_format` and `-T`, `--Results_format` take the formats that are read anyway, `qrels` and"
    " `trec_results`; `-o`, `--Output_old_results_format` has no effect; `-D`, `--Debug_level` is refused."
)
# Pages that show a command at work; a command of a group has those of the group.
MORE = {
    "foveal evaluate": ("how-to/score-a-run.md", "how-to/evaluate-chunks.md", "measures.md"),
    "foveal explain": ("seeing.md",),
    "foveal trec_eval": ("from/trec_eval.md",),
    "foveal compare": ("how-to/compare-two-systems.md", "comparing.md", "why/significance.md"),
    "foveal agree": ("comparing.md",),
    "foveal gate": ("gate.md", "how-to/use-in-ci.md"),
    "foveal report": ("tutorial.md", "seeing.md"),
    "foveal fidelity": ("fidelity.md", "why/fidelity.md"),
    "foveal stability": ("stability.md", "why/stability.md"),
    "foveal assess": ("how-to/judge-a-collection.md", "assess.md"),
    "foveal assess agree": ("judging.md", "assess.md"),
    "foveal pool": ("how-to/run-a-track.md", "judging.md"),
    "foveal check": ("how-to/check-and-repair.md", "reference/rules.md", "elements.md"),
    "foveal convert": ("formats.md", "elements.md"),
    "foveal index": ("collections.md", "elements.md"),
    "foveal locate": ("collections.md",),
    "foveal measures": ("measures.md",),
    "foveal formats": ("formats.md",),
    "foveal demo": ("tutorial.md",),
}
_EXAMPLES = re.compile(r"\x08\nExamples:\n(?P<examples>(?:  .*\n?)+)\n*")
_DEFAULT = re.compile(r" *\[default: (.*)\]$")
_USAGE_LINE = re.compile(r"^  (--?\w+)(?: (\S+))? {2,}(.+(?:\n {14}.+)*)", re.MULTILINE)
_USAGE_DEFAULT = re.compile(r" ?\((?:the )?default(?: (\S+))?\)")

Context = click.Context


def contexts() -> Iterator[tuple[str, click.Command, Context]]:
    """Every command, and every command of a group, with its full name and its context."""
    yield from _inside(cli, Context(cli, info_name="foveal", **cli.context_settings))


def _inside(group: click.Group, around: Context) -> Iterator[tuple[str, click.Command, Context]]:
    for name in group.list_commands(around):
        command = group.get_command(around, name)
        if command is None:
            continue
        context = Context(command, parent=around, info_name=name, **command.context_settings)
        yield context.command_path, command, context
        if isinstance(command, click.Group):
            yield from _inside(command, context)


def page_of(name: str) -> str:
    """The page of a command, as seen from `docs`."""
    stem = name.removeprefix("foveal ").replace(" ", "-")
    # A page called index would be that of the folder.
    return f"{FOLDER}/{'index-command' if stem == 'index' else stem}.md"


@whole_pages(FOLDER)
def pages() -> Iterator[Page]:
    """The list of the commands, and a page for each."""
    yield f"{FOLDER}/README.md", page_text(_index())
    for name, command, context in contexts():
        yield page_of(name), page_text(_page(name, command, context))


def _index() -> Lines:
    yield from ["# Commands", "", "Every command of foveal, each with a page of its own. The pages"]
    yield from ["say what `foveal COMMAND --help` says.", ""]
    yield from table(
        ["command", "what it does"],
        (
            [f"[{code(name)}]({page_of(name).rpartition('/')[2]})", short_help(command)]
            for name, command, _ in contexts()
        ),
    )
    yield from ["", "## The program itself", ""]
    context = Context(cli, info_name="foveal", **cli.context_settings)
    yield from block(_usage(cli, context))
    yield from _options(cli, context)
    yield from ["", "`python -m foveal` is the same program. `foveal demo` shows it at work.", ""]


def short_help(command: click.Command) -> str:
    """The help of a command in one sentence."""
    return prose(command.get_short_help_str(limit=200))


def _page(name: str, command: click.Command, context: Context) -> Lines:
    sections = {
        "Usage": list(block(_usage(command, context))),
        "Arguments": list(_arguments(name, command)),
        "Options": list(_options(command, context)),
        "Examples": list(_examples(command, context)),
        "Exit codes": list(_codes(name)),
        "Read more": list(_further_pages(name)),
    }
    yield from [f"# {name}", "", *_description(command, context)]
    if isinstance(command, click.Group):
        yield from _commands(name, command, context)
    for heading in HEADINGS:
        if sections[heading]:
            yield from [f"## {heading}", "", *sections[heading], ""]


def _description(command: click.Command, context: Context) -> Lines:
    """The help before the options, by paragraphs; for trec_eval's command its own help."""
    text = _trec_eval_description() if _is_trec_eval(context) else _EXAMPLES.sub("", _help(command))
    for paragraph in text.split("\n\n"):
        yield from [_marked(" ".join(paragraph.split())), ""]


def _help(command: click.Command) -> str:
    return inspect.cleandoc(command.help or "")


def _marked(text: str) -> str:
    """Plain text as Markdown, in which an option with one of its words looks like code."""
    return prose(_with_words().sub(r"`\g<0>`", text))


@cache
def _with_words() -> re.Pattern[str]:
    words = {
        (name, str(word))
        for _, command, _ in contexts()
        for option in command.params
        if isinstance(option.type, click.Choice)
        for name in option.opts
        for word in option.type.choices
    }
    either = "|".join(sorted(re.escape(f"{name} {word}") for name, word in words))
    return re.compile(rf"(?<![\w`-])(?:{either})(?![\w`-])")


def _usage(command: click.Command, context: Context) -> str:
    text = usage().partition("\n\n")[0] if _is_trec_eval(context) else command.get_usage(context)
    first, *lines = text.removeprefix("Usage: ").split("\n")
    return "\n".join([first, *(line.removeprefix(" " * len("Usage: ")) for line in lines)])


def _arguments(name: str, command: click.Command) -> Lines:
    words = _arguments_of(name, command)
    if not words:
        return []
    rows = []
    for word in words:
        argument = word.strip("[]")
        rows.append(
            [code(argument), _meaning(name, argument), "no" if word.startswith("[") else "yes"]
        )
    return table(["argument", "what it is", "required"], rows)


def _arguments_of(name: str, command: click.Command) -> list[str]:
    """The arguments of a command as its usage line has them."""
    if name == "foveal trec_eval":
        return ["QRELS", "RESULTS"]
    return [
        parameter.make_metavar(Context(command))
        for parameter in command.params
        if _is_argument(parameter)
    ]


def _meaning(name: str, word: str) -> str:
    return OWN_ARGUMENTS.get((name, word)) or ARGUMENTS.get(word, "")


def unexplained(name: str, command: click.Command) -> list[str]:
    """The arguments of a command that its page would not explain."""
    words = [word.strip("[]") for word in _arguments_of(name, command)]
    return [word for word in words if not _meaning(name, word)]


def _is_argument(parameter: click.Parameter) -> bool:
    return isinstance(parameter, click.Argument)


def _options(command: click.Command, context: Context) -> Lines:
    rows = _trec_eval_rows() if _is_trec_eval(context) else _rows(command, context)
    yield from table(["option", "what it does", "values", "default"], rows)
    if _is_trec_eval(context):
        yield from ["", TREC_EVAL_REST]
    if isinstance(command, ScoringCommand):
        yield from ["", UNDERSTOOD.replace("`foveal evaluate --help`", SHOWN_BY)]


def _rows(command: click.Command, context: Context) -> Iterator[list[str]]:
    for option in command.params:
        # Options that help does not show are not offered.
        if isinstance(option, click.Option) and option.get_help_record(context) is not None:
            sentence, default = _sentence_and_default(option, context)
            yield [_spelling(option, context), _marked(sentence), _values(option), default]
    # Click caches the option of help, possibly made without a context, so its names are read anew.
    if help_option := command.get_help_option(context):
        names = sorted(command.get_help_option_names(context), key=len)
        yield [", ".join(map(code, names)), help_option.help or "", "", ""]


def _spelling(option: click.Option, context: Context) -> str:
    """An option as it is typed, with the word for its value unless its values are listed."""
    takes = not option.is_flag and not option.count and not _words(option)
    # Click calls a number by its type, as in FLOAT RANGE.
    word = option.metavar or ("N" if _bounds(option.type) else option.make_metavar(context))
    *names, last = [*option.opts, *option.secondary_opts]
    last += f" {word}" if takes else ""
    return ", ".join(code(name) for name in [*names, last])


def _values(option: click.Option) -> str:
    """The words that an option takes, or the bounds of its number."""
    return ", ".join(map(code, _words(option))) or _bounds(option.type)


def _words(option: click.Option) -> list[str]:
    """The words that an option takes; those with a name among them are listed in place of a value."""
    if isinstance(option.type, click.Choice):
        return [str(choice) for choice in option.type.choices]
    return (option.metavar or "").split("|") if "|" in (option.metavar or "") else []


def _bounds(kind: Any) -> str:
    if not isinstance(kind, (click.IntRange, click.FloatRange)):
        return ""
    if kind.max is None:
        return f"{kind.min:g} or more"
    words = "between {:g} and {:g}" if kind.min_open else "{:g} to {:g}"
    return words.format(kind.min, kind.max)


def _sentence_and_default(option: click.Option, context: Context) -> tuple[str, str]:
    """The help of an option, and the default, which the help may say in words."""
    sentence = " ".join((option.help or "").split())
    match = _DEFAULT.search(sentence)
    if option.required:
        return sentence, "required"
    if match:
        is_word = " " not in match[1] and match[1] != RECOGNISED
        return _DEFAULT.sub("", sentence), code(match[1]) if is_word else prose(match[1])
    default = option.get_help_extra(context).get("default")
    if default is None and isinstance(option.default, int) and not option.is_flag:
        default = str(option.default)
    return sentence, code(default or "")


def _examples(command: click.Command, context: Context) -> Lines:
    """The examples of the help, of a command of a group those of the group that name it."""
    text = examples_in(command)
    if not text and context.parent:
        lines = examples_in(context.parent.command).split("\n")
        text = "\n".join(line for line in lines if f"{context.command_path} " in line)
    return block(text) if text else []


def examples_in(command: click.Command) -> str:
    """The examples in the help of a command; empty if there are none."""
    match = _EXAMPLES.search(_help(command))
    return inspect.cleandoc(match["examples"]) if match else ""


def _codes(name: str) -> Lines:
    meanings = {
        code: OWN_CODES.get((name, code), meaning)
        for code, meaning in exit_codes().items()
        if code != ONLY_OF_GATES or (name, code) in OWN_CODES
    }
    yield from table(
        ["code", "meaning"],
        ([code(str(number)), sentence] for number, sentence in meanings.items()),
    )
    yield from ["", "[Errors and exit codes](../errors.md) has examples of each."]


def _further_pages(name: str) -> Lines:
    pages = MORE.get(name) or MORE[name.rpartition(" ")[0]]
    return [f"* [{titles()[page]}](../../{page})" for page in pages]


def _commands(name: str, group: click.Group, context: Context) -> Lines:
    yield from table(
        ["command", "what it does"],
        (
            [
                f"[{code(command_name)}]({page_of(command_name).rpartition('/')[2]})",
                short_help(command),
            ]
            for command_name, command, _ in _inside(group, context)
        ),
    )
    yield ""


@cache
def titles() -> dict[str, str]:
    """The title of every page in the site's navigation, by its path."""
    configuration = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    titles_by_page: dict[str, str] = {}

    for section in configuration["nav"]:
        for name, entries in section.items():
            for entry in entries:
                title, page = (
                    next(iter(entry.items())) if isinstance(entry, dict) else (name, entry)
                )
                titles_by_page[page] = f"{name}: {title}" if name in NAMED_BY_SECTION else title
    return titles_by_page


def _is_trec_eval(context: Context) -> bool:
    return context.command_path == "foveal trec_eval"


def _trec_eval_description() -> str:
    """The help of trec_eval before and after the options."""
    paragraphs = usage().split("\n\n")
    return "\n\n".join([paragraphs[1], paragraphs[-1]])


def _trec_eval_rows() -> Iterator[list[str]]:
    """The options in trec_eval's help, each also by its long name."""
    long = {letter: f"--{name.rstrip('=')}" for name, letter in LONG.items()}
    for letter, word, text in _USAGE_LINE.findall(usage()):
        sentence = " ".join(text.split())
        spelled = [letter, *([long[letter]] if letter in long else [])]
        values = ", ".join(map(code, word.split("|"))) if "|" in word else ""
        if word and not values:
            spelled[-1] += f" {word}"
        match = _USAGE_DEFAULT.search(sentence)
        default = match[1] or sentence[: match.start()].split()[-1] if match else ""
        if values:
            default = next(value for value in word.split("|") if default.startswith(value))
        sentence = _marked(_USAGE_DEFAULT.sub("", sentence))
        yield [", ".join(map(code, spelled)), sentence, values, code(default)]
