"""Forms that results are written in, a file each: functions that draw tables, or a check report."""
