"""The stages of a release, and the table of what they found. Nothing is uploaded."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from tools.release import _environments as environments
from tools.release import _package as package
from tools.release._running import OLDEST, Failed, Python, pythons_at_hand, run

Result = TypeVar("Result")
COMPILED, PLAIN = "compiled scanner", "plain reader"


class Release:
    """The stages that have passed, with how long each took."""

    def __init__(self, scratch: Path) -> None:
        self.scratch = scratch
        self.rows: list[tuple[str, str, str]] = []

    def stage(self, what: str, work: Callable[[], Result], says: Callable[[Result], str]) -> Result:
        """Do some work and note what it says."""
        start = time.perf_counter()
        print(f"{what} …", flush=True)
        done = work()
        self.rows.append((what, says(done), f"{time.perf_counter() - start:.0f} s"))
        return done

    def table(self) -> str:
        """Every stage in a line."""
        widths = [max(map(len, column)) for column in zip(*self.rows, strict=True)]
        return "\n".join(
            f"{what:<{widths[0]}}   {says:<{widths[1]}}   {seconds:>{widths[2]}}"
            for what, says, seconds in self.rows
        )

    def run(self) -> None:
        """All stages, from the files of the repository to an installed package that works."""
        pythons = pythons_at_hand()
        wheel, sdist = self.stage(
            "build",
            lambda: package.build(self.scratch),
            lambda made: made[0].name,
        )
        self.stage("metadata", lambda: package.check_metadata(wheel, sdist), lambda _: "valid")
        self.stage(
            "contents", lambda: package.check_contents(wheel, sdist),
            lambda files: f"as tracked; {files} files in the wheel",
        )  # fmt: skip
        for python in pythons:
            for extra in environments.extras():
                self.try_out(python, wheel, extra)
        # Newer Pythons have no wheels of versions that are older than they are.
        if pythons[0].numbers[:2] == OLDEST:
            self.try_lowest(pythons[0], wheel)
        self.compare_scanners(pythons[0], wheel, sdist)

    def try_out(self, python: Python, wheel: Path, extra: str) -> None:
        """Install the wheel with an extra and use it."""

        def work() -> str:
            with tempfile.TemporaryDirectory(dir=self.scratch) as name:
                folder = Path(name)
                program = environments.installed(python, folder / "environment", wheel, extra)
                return environments.smoke(program, extra, folder / "tried")

        self.stage(f"Python {python.version}, extra {extra}", work, str)

    def try_lowest(self, python: Python, wheel: Path) -> None:
        """Use the package with every dependency at its lowest version."""

        def work() -> str:
            with tempfile.TemporaryDirectory(dir=self.scratch) as name:
                folder = Path(name)
                bounds = folder / "lowest.txt"
                bounds.write_text(environments.lowest(), encoding="utf-8")
                program = environments.installed(
                    python, folder / "environment", wheel, environments.ALL, [bounds]
                )
                return environments.smoke(program, environments.ALL, folder / "tried")

        self.stage(f"Python {python.version}, lowest versions", work, str)

    def compare_scanners(self, python: Python, wheel: Path, sdist: Path) -> None:
        """Install the sdist without a compiler, and compare every output with the wheel's."""
        plain = self.stage(
            "build without a compiler",
            lambda: package.build_without_compiler(sdist, self.scratch),
            lambda made: made.name,
        )
        package.check_lacks_only_scanner(wheel, plain)
        compiled = self.results(python, wheel, COMPILED)
        other = self.results(python, plain, PLAIN)
        self.stage(
            "compiled and plain", lambda: environments.check_same(compiled, other),
            lambda count: f"{count} outputs are the same, byte for byte",
        )  # fmt: skip

    def results(self, python: Python, wheel: Path, reader: str) -> dict[str, str]:
        """The digests of what a wheel prints and writes, which must read as it says it does."""

        def work() -> dict[str, str]:
            with tempfile.TemporaryDirectory(dir=self.scratch) as name:
                folder = Path(name) / "environment"
                program = environments.installed(python, folder, wheel, "report")
                if reader not in (said := run(folder / "bin" / "foveal", "--version")):
                    raise Failed(f"{wheel.name} was to read with the {reader}: {said}")
                return environments.results(program, Path(name) / "results")

        return self.stage(
            f"results with the {reader}", work, lambda digests: f"{len(digests)} outputs"
        )


def main() -> None:
    """Run the stages; the first failure ends the release with exit code 1."""
    start = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="foveal-release-") as name:
        release = Release(Path(name))
        try:
            release.run()
        except Failed as error:
            print(f"\nfailed: {error}", file=sys.stderr)
            sys.exit(1)
    print(f"\n{release.table()}\n\nReady in dist/ after {time.perf_counter() - start:.0f} s.")


if __name__ == "__main__":
    main()
