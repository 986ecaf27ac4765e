"""trec_eval's arguments, lines and arithmetic; the names of its measures are in `measures/`."""

from foveal.trec_eval.arguments import Call, usage
from foveal.trec_eval.trec_output import Printer, norms, printed_measures, trec_lines
