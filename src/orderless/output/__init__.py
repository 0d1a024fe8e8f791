"""An object in, text, code, a figure or a page out; each in a room of its own."""
