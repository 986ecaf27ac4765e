"""Making judgements: pools of what runs returned, and the agreement of those who judged."""
