"""foveal assess: judgements that people make."""

from __future__ import annotations

from foveal.cli._command_group import Commands

PLACE_IN_LISTS = 65

command = Commands(
    package="foveal.cli.assess",
    help="""Make judgements: highlight relevant text in the browser.

    \b
    Examples:
      foveal assess try                                   highlight text in the demo's documents, now
      foveal assess new track.campaign --topics topics.xml --pool pool.jsonl --docs corpus/ \\
          --assessor ann --assessor bob --double 20%
      foveal assess serve track.campaign                  a page for each assessor
      foveal assess status track.campaign                 who has judged how much
      foveal assess agree track.campaign                  how far assessors agree
      foveal assess export track.campaign -o track.qrels  judgements, ready for `foveal evaluate`

    A campaign is one file with topics, documents, assessors and everything that they did. Make one
    of a pool (`foveal pool`), serve it, and export judgements.
    """,
)
