"""Forms that results are written in, a file each: what draws tables, or a verdict, as text."""
