"""Back through transformers: from the columns a tree was fitted on to the features of a person."""
