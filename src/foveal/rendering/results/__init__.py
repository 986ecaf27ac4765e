"""What each type of result becomes, a file each: its `tables` for eyes, its `rows` and its `document`."""
