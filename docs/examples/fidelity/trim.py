from foveal.studies import Chances, Draft, Ground, Parts, noise


@noise(name="trim", title="ends lost", unit="characters", strengths=(0, 5, 20), by_chance=False)
def ends_lost(ground: Ground, draft: Draft, strength: float, chances: Chances) -> Draft:
    """Every part loses so many characters at its end, or all that it has."""
    parts = draft.parts
    end = (parts.end - int(strength)).clip(min=parts.start)
    return Draft(draft.documents, Parts(parts.document, parts.start, end))
