"""What series, spans and the call graph tell: which of them changed, and which entity that points at."""
