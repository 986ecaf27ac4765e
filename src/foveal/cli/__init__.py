"""The command line: words become calls, results become output, errors become exit codes."""

import sys

try:
    from foveal.cli._main import command_names, main, program
except KeyboardInterrupt:  # pressed while modules load, where nothing else answers it
    sys.stderr.write("foveal: interrupted\n")
    sys.exit(130)
