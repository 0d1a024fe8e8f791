"""Facts between features, and which rows they leave possible."""
