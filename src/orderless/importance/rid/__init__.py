"""The Rashomon importance distribution (RID), each function counted once."""
