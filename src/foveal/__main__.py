"""`python -m foveal` is the command line."""

from foveal.cli import program

program()
