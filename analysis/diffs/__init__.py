"""What a diff does: shapes of changes that are known to hurt, and what of them the symptom speaks of."""
