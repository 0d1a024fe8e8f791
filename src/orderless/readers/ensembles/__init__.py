"""Models that add up trees: one file per library, one way out."""
