"""What stands on each page; the wording and the order are in `templates/`."""
