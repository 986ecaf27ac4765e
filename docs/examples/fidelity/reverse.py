import numpy as np

from foveal.spans import Ints
from foveal.studies import Ground, ranking


@ranking(name="RR", title="least highlighted first", below=("R",))
def least_highlighted_first(ground: Ground) -> Ints:
    """Documents by rising amount of highlighted text."""
    rows = ground.relevant
    return rows[np.lexsort((ground.highlighted[rows], ground.topic[rows]))]
