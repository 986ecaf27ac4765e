"""Make the documentation: `make docs` writes what the program says into its pages.

That is what records say, and what commands and examples in Python print. Given pages, only these are
made anew.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.cli.calling import foveal

import tools.measure_pages
import tools.peer_names
import tools.reference
import tools.reference_pages  # noqa: F401  # all fill the registries of sections and pages
from tools.making import filled, write_drawings, write_whole_pages
from tools.pages import (
    DOCS,
    ROOT,
    has_outputs,
    pages,
    prepare,
    with_outputs,
    with_place_of_files,
    with_printed,
)


def main(requested: Sequence[Path] = ()) -> None:
    """Make pages anew, by default all, and say which have changed."""
    if not requested:
        # Pages quote the titles of drawings.
        write_drawings()
        write_whole_pages()
    for path in requested or pages():
        page = path.read_text(encoding="utf-8")
        anew = filled(with_place_of_files(page) if path.is_relative_to(DOCS) else page)
        with TemporaryDirectory() as folder:
            prepare(page, Path(folder))
            anew = with_printed(anew, Path(folder), run_typed)
            if has_outputs(page):
                anew = with_outputs(anew, Path(folder))
        if anew != page:
            path.write_text(anew, encoding="utf-8")
            print(path.relative_to(ROOT))


def run_typed(words: Sequence[str], folder: Path, with_remarks: bool) -> str:  # noqa: FBT001  # by place
    """Output of a foveal command in a folder; RuntimeError if it fails without output."""
    answer = foveal(*words, folder=folder, together=with_remarks)
    if answer.code and not answer.out:
        raise RuntimeError(f"foveal {' '.join(words)}: {answer.err}")
    return answer.out


if __name__ == "__main__":
    main([Path(name).resolve() for name in sys.argv[1:]])
