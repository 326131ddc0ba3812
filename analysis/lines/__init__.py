"""Log lines: when they were written, how bad they say they are, and which of them say the same."""
