"""Build the documentation as a site: the last step of `make docs`."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tools.pages import DOCS, ROOT

CONFIGURATION = "mkdocs.yml"
BUILT = ROOT / "build" / "site"
# What an example needs is for the tests; a block with such a mark would not be shown as code.
NEEDS = re.compile(r"^(```python) needs=\w+$", re.MULTILINE)


def build(place: Path = BUILT) -> None:
    """Build the site into a folder; a link that leads nowhere ends it."""
    with TemporaryDirectory() as folder:
        there = Path(folder)
        shutil.copy(ROOT / CONFIGURATION, there)
        shutil.copytree(DOCS, there / DOCS.name)
        for page in (there / DOCS.name).rglob("*.md"):
            page.write_text(NEEDS.sub(r"\1", page.read_text(encoding="utf-8")), encoding="utf-8")
        done = subprocess.run(
            [str(Path(sys.executable).with_name("zensical")), "build", "--strict"],
            cwd=there,
            # Our extension of Markdown is found from here.
            env={**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1"},
            capture_output=True, encoding="utf-8", check=False,
        )  # fmt: skip
        if done.returncode:
            raise SystemExit(f"{done.stdout}\n{done.stderr}")
        shutil.rmtree(place, ignore_errors=True)
        shutil.move(there / "build" / "site", place)


if __name__ == "__main__":
    build()
    place = BUILT.relative_to(ROOT)
    print(f"{place}: python3 -m http.server --directory {place} shows it at http://127.0.0.1:8000")
