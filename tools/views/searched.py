"""The line every view ends with: what was searched."""

from domain.codec import Json


def searched(data: Json, rows: list[str]) -> str:
    """The rows, then what was looked at, so that absence can be told from blindness."""
    told = data["searched"]
    parts = [f"searched {told['source']}"]
    parts += [f"window {told['window']}"] if told.get("window") else []
    parts += [f"filter {told['filter']}"] if told.get("filter") else []
    parts.append(f"{told['matched']} matched, {told['returned']} returned")
    parts += ["truncated"] if told.get("truncated") else []
    parts += [f"{told['after_window']} later than now withheld"] if told.get("after_window") else []
    parts += [f"could not read: {problem}" for problem in told.get("problems", [])]
    return "\n".join([*(rows or ["nothing found"]), "-- " + "; ".join(parts)])
