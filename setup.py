"""What pyproject.toml cannot say: the compiled scanner, and the README for a package index."""

import re
import sys
import sysconfig
from pathlib import Path

from setuptools import Extension, setup

SOURCES = Path("src/foveal/compiled")

# One build serves every Python from 3.11 on, except those without a global lock, which have no
# limited API and need a build of their own.
IS_FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
LIMITED = not IS_FREE_THREADED and sys.implementation.name == "cpython"

PICTURE = re.compile(r"<picture>.*?</picture>\n*|<img\b[^>]*>|!\[[^]]*\]\([^)]*\)", re.DOTALL)
LINK_TO_FILE = re.compile(r"\[([^]]+)\]\((?!https?:|#)[^)]+\)")


def description() -> str:
    """The README without pictures and links to files, which an index has not.

    Nothing points to a copy of the repository on the web, because the project has no address yet.
    """
    readme = Path("README.md").read_text(encoding="utf-8")
    return LINK_TO_FILE.sub(r"\1", PICTURE.sub("", readme))


setup(
    long_description=description(),
    long_description_content_type="text/markdown",
    # A machine without a compiler does without the scanner.
    ext_modules=[
        Extension(
            "foveal.compiled._compiled",
            sources=sorted(str(path) for path in SOURCES.glob("*.c")),
            depends=sorted(str(path) for path in SOURCES.glob("*.h")),
            define_macros=[("Py_LIMITED_API", "0x030B0000")] if LIMITED else [],
            py_limited_api=LIMITED,
            optional=True,
        )
    ],
    options={"bdist_wheel": {"py_limited_api": "cp311"}} if LIMITED else {},
)
