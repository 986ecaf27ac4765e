"""Build the documentation as a site: the last step of `make docs`."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import yaml

from tools.measure_pages import navigation
from tools.pages import DOCS, ROOT

CONFIGURATION = "mkdocs.yml"
# The entries of the menu below which other pages are.
MEASURES = {"Measures": "measures.md"}
COMMANDS = {"Commands": "reference/commands/README.md"}
BUILT = ROOT / "build" / "site"
# What an example needs is for the tests; a block with such a mark would not be shown as code.
NEEDS = re.compile(r"^(```python) needs=\w+$", re.MULTILINE)


def configuration() -> str:
    """The configuration with the pages of measures and commands in the menu."""
    configuration = yaml.safe_load((ROOT / CONFIGURATION).read_text(encoding="utf-8"))
    (section,) = (section for section in configuration["nav"] if "Reference" in section)
    section["Reference"] = [_unfolded(entry) for entry in section["Reference"]]
    return yaml.safe_dump(configuration, allow_unicode=True, sort_keys=False)


def _unfolded(entry: str | dict[str, str]) -> object:
    """An entry of the menu with the pages that it lists below it."""
    if entry == MEASURES:
        families = [
            {family: [{name: page} for name, page in pages.items()]}
            for family, pages in navigation().items()
        ]
        return {"Measures": [{"All measures": entry["Measures"]}, *families]}
    if isinstance(entry, str) or not (page := next(iter(entry.values()))).endswith("/README.md"):
        return entry
    # On its own, a page of this name would take the place of the whole section's first page.
    return {next(iter(entry)): [page, *(_commands() if entry == COMMANDS else ())]}


def _commands() -> list[dict[str, str]]:
    """The page of each command under its name."""
    folder = (DOCS / COMMANDS["Commands"]).parent
    pages = {
        page.read_text(encoding="utf-8").partition("\n# foveal ")[2].partition("\n")[0]: page
        for page in folder.glob("*.md")
        if page.name != "README.md"
    }
    return [{name: str(pages[name].relative_to(DOCS))} for name in sorted(pages)]


def build(target: Path = BUILT) -> None:
    """Build the site into a folder; a link that leads nowhere ends it."""
    with TemporaryDirectory() as folder:
        work_folder = Path(folder)
        (work_folder / CONFIGURATION).write_text(configuration(), encoding="utf-8")
        shutil.copytree(DOCS, work_folder / DOCS.name)
        for page in (work_folder / DOCS.name).rglob("*.md"):
            page.write_text(NEEDS.sub(r"\1", page.read_text(encoding="utf-8")), encoding="utf-8")
        done = subprocess.run(
            [str(Path(sys.executable).with_name("zensical")), "build", "--strict"],
            cwd=work_folder,
            # Our extension of Markdown is found from here.
            env={**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1"},
            capture_output=True, encoding="utf-8", check=False,
        )  # fmt: skip
        if done.returncode:
            raise SystemExit(f"{done.stdout}\n{done.stderr}")
        shutil.rmtree(target, ignore_errors=True)
        shutil.move(work_folder / "build" / "site", target)


if __name__ == "__main__":
    build()
    site = BUILT.relative_to(ROOT)
    print(f"{site}: python3 -m http.server --directory {site} shows it at http://127.0.0.1:8000")
