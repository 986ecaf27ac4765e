"""Retrieved characters that are highlighted, in the order in which they are read."""

from foveal.alignment.alignment import AlignedRun, Alignment, align, align_samples
from foveal.alignment.aspect_lists import AspectLists, AspectRule, Candidates
from foveal.alignment.budgets import Budget
from foveal.alignment.graded_lists import GradedLists
from foveal.alignment.placed_parts import FirstReads, first_appearances
from foveal.alignment.prepared_qrels import PreparedQrels
from foveal.alignment.ranked_lists import RankedDocuments, RankedParts, ratio
from foveal.alignment.raw_parts import RunFacts, run_facts
