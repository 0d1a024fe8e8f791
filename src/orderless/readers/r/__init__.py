"""The R script that writes models of R as JSON, and where it is."""
