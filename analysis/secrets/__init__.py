"""Secrets: where they stand in text, and what stands in their place."""
