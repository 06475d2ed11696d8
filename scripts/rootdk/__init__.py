"""What the scripts share: attention, its statistics, tables, figures and the checks on an author's input."""
