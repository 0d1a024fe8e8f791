"""Tables on disk, in parts that fit into memory, and predictions for them."""
