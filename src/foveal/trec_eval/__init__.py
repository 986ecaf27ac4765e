"""trec_eval's arguments, lines and arithmetic, in one place; its names are in `measures/`."""

from foveal.trec_eval.arguments import USAGE, Call
from foveal.trec_eval.lines import trec_lines
from foveal.trec_eval.report import Printer, norms, printed_measures
