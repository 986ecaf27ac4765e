"""The compiled scanner, which a machine without a compiler does without; see pyproject.toml."""

import sys
import sysconfig
from pathlib import Path

from setuptools import Extension, setup

FILES = Path("src/foveal/files")

# One build serves every Python from 3.11 on, except those without a global lock, which have no
# limited API and need a build of their own.
IS_FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
LIMITED = not IS_FREE_THREADED and sys.implementation.name == "cpython"

setup(
    ext_modules=[
        Extension(
            "foveal.files._compiled",
            sources=sorted(str(path) for path in FILES.glob("*.c")),
            depends=sorted(str(path) for path in FILES.glob("*.h")),
            define_macros=[("Py_LIMITED_API", "0x030B0000")] if LIMITED else [],
            py_limited_api=LIMITED,
            optional=True,
        )
    ],
    options={"bdist_wheel": {"py_limited_api": "cp311"}} if LIMITED else {},
)
