from foveal.studies import LabDocuments, NoiseSource, Parts, RunDraft, noise


@noise(name="trim", title="ends lost", unit="characters", strengths=(0, 5, 20), by_chance=False)
def trim(lab: LabDocuments, draft: RunDraft, strength: float, chances: NoiseSource) -> RunDraft:
    """Every part loses so many characters at its end, or all that it has."""
    parts = draft.parts
    end = (parts.end - int(strength)).clip(min=parts.start)
    return RunDraft(draft.documents, Parts(parts.document, parts.start, end))
