"""foveal assess invite: a new link for a person of the campaign, or for a new one."""

from __future__ import annotations

import click

from foveal.errors import harmless

PLACE_IN_LISTS = 25
ROLES = ("assessor", "adjudicator")


@click.command()
@click.argument("campaign", metavar="CAMPAIGN")
@click.argument("name", metavar="NAME")
@click.option(
    "--role", type=click.Choice(ROLES),
    help="Role of a new person.  [default: assessor]",
)  # fmt: skip
@click.option(
    "--topic", "topics", multiple=True, metavar="T",
    help="A topic for this assessor, in addition to others who judge it; may be repeated.",
)  # fmt: skip
def command(campaign: str, name: str, role: str | None, topics: tuple[str, ...]) -> None:
    """Print a new link for NAME; all earlier ones end.

    \b
    Examples:
      foveal assess invite track.campaign ann                    a new link; the old ones end
      foveal assess invite track.campaign ada --role adjudicator
      foveal assess invite track.campaign cy --topic 101 --topic 102    one more assessor

    Whoever has the link can judge as NAME, so send it to nobody else. Somebody new joins as an
    assessor of the topics given, or as an adjudicator, who decides where assessors disagree.
    """
    from foveal.assess import Campaign, Role, invite

    with Campaign.open(campaign) as opened:
        link = invite(opened, name, role=Role(role) if role else None, topics=topics)
        was_served = "address" in opened.meta
    click.echo(harmless(link))
    sentence = f"only this link lets {name} in, while the campaign is served"
    if not was_served:
        sentence += "; it has not been served yet, so the link has the default address"
    click.echo(harmless(sentence), err=True)
