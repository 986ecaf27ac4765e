"""Types of results, a file each: `tables` for readers, `rows` for programs, `document` for JSON."""
