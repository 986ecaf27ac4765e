"""Scores as trec_eval prints them."""

from foveal.trec_eval import trec_lines

draw = trec_lines
