from foveal.spans import Ints
from foveal.studies import LabDocuments, ranking


@ranking(name="RR", title="least highlighted first", below=("R",))
def least_highlighted_first(lab: LabDocuments) -> Ints:
    """Documents by rising amount of highlighted text: R from its end, topic after topic."""
    rows = lab.relevant[::-1]
    return rows[lab.topic[rows].argsort(kind="stable")]
