"""foveal assess serve: the page on which assessors judge."""

from __future__ import annotations

import sys
import threading
import webbrowser
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from foveal.errors import harmless, shortened

if TYPE_CHECKING:
    from foveal.assess import Link
    from foveal.web import Application

PLACE_IN_LISTS = 20
PORT = 8642


@click.command()
@click.argument("campaign", metavar="CAMPAIGN")
@click.option(
    "--port", type=click.IntRange(0, 65_535), default=PORT, show_default=True,
    help="Where to listen; 0 takes a free port.",
)  # fmt: skip
@click.option(
    "--host", metavar="ADDRESS", default="127.0.0.1", show_default=True,
    help="The network address to listen at; one that other machines reach needs --behind.",
)  # fmt: skip
@click.option(
    "--behind", metavar="URL",
    help="The https address of the proxy through which assessors come; it must pass on Host.",
)  # fmt: skip
@click.option("--no-browser", is_flag=True, help="Do not open the first link in the browser.")
def command(campaign: str, port: int, host: str, behind: str | None, no_browser: bool) -> None:
    """Serve the page on which assessors judge, until Ctrl-C.

    \b
    Examples:
      foveal assess serve track.campaign                  on this machine, opens the browser
      foveal assess serve track.campaign --no-browser > links.tsv
      foveal assess serve track.campaign --behind https://judge.example.org --no-browser

    Prints one link per person. Whoever has a link judges as that person, so send each to one person only.
    Every start makes new links, and earlier ones stay valid: the campaign keeps only digests of
    them. `foveal assess invite` makes a new link and ends earlier ones.
    """
    from foveal.assess import Campaign, links
    from foveal.web import serve

    def application(origin: str) -> Application:
        # Imported here because `serve` checks first that the extra is installed.
        from foveal.assess import app

        return app(opened, origin=origin)

    def ready(origin: str) -> None:
        pages = links(opened, origin)
        _show(pages)
        if pages and not no_browser and _at_terminal():
            # In a thread, because a browser that runs in the terminal would block the server.
            threading.Thread(target=webbrowser.open, args=(pages[0].address,), daemon=True).start()

    with Campaign.open(campaign) as opened:
        serve(opened, application, host=host, port=port, behind=behind, ready=ready)
    click.echo(harmless(f"foveal: stopped; all that was acknowledged is in {campaign}"), err=True)


def _show(pages: Sequence[Link]) -> None:
    """Print the links: a table for people, columns with tabs for programs."""
    rows = [(shortened(person.name), person.role.value, url) for person, url in pages]
    if not _at_terminal():
        for row in rows:
            click.echo("\t".join(row))
    else:
        width = max((len(name) for name, _, _ in rows), default=0)
        for name, role, url in rows:
            click.echo(f"{name:<{width}}  {role:<11}  {url}")
        click.echo("\nServing until Ctrl-C. Send each link to one person only.", err=True)
    # A program that reads a pipe waits for the links.
    sys.stdout.flush()


def _at_terminal() -> bool:
    return sys.stdout.isatty()
