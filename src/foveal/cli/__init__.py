"""The command line: words become calls, results become output, errors become exit codes."""

import sys

try:
    from foveal.cli._main import command_names, main, program
except KeyboardInterrupt:  # pressed while modules load, before `_main` handles it
    sys.stderr.write("foveal: interrupted\n")
    sys.exit(130)
