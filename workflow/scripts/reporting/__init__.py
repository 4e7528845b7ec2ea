"""What the report is made of, by its parts."""
