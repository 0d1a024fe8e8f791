"""Trees and forests of R: the script that writes them as JSON, and the reader of that."""
