from foveal.studies import LabDocuments, Parts, part_set


@part_set(name="SH", title="first halves", below=("S",))
def first_halves(lab: LabDocuments) -> Parts:
    """The first half of every passage."""
    spans = lab.passages
    return Parts(spans.document, spans.start, (spans.start + spans.end) // 2)
