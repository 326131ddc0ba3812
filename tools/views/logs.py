"""Views of text sources: lines as they are, templates with counts, hits with a sample."""

from domain.codec import Json
from tools.views.searched import searched, span


def sources(data: Json) -> str:
    """One line a source: name, size, time span, levels."""
    return searched(data, [_source(s) for s in data["sources"]])


def _source(s: Json) -> str:
    levels = ", ".join(f"{level} {count}" for level, count in sorted((s.get("levels") or {}).items()))
    parts = [s["name"], f"{s['bytes']} B", f"{s['lines']} lines" if s.get("lines") is not None else ""]
    parts += [span(s["first"], s["last"]) if s.get("first") else "", levels, s.get("problem") or ""]
    return " | ".join(part for part in parts if part)


def lines(data: Json) -> str:
    """`source:line text`, the source named once."""
    out, last = [], None
    for line in data["lines"]:
        if line["source"] != last:
            last = line["source"]
            out.append(f"== {last}")
        out.append(f"{line['line']}: {line['text']}")
    return searched(data, out)


def hits(data: Json) -> str:
    """One block a signature and source: count, span of time, captures, one line."""
    return searched(data, [_hit(h) for h in data["hits"]])


def _hit(h: Json) -> str:
    captures = "; ".join(", ".join(f"{k}={v}" for k, v in sorted(c.items())) for c in h["captures"][:3] if c)
    head = f"{h['id']} in {h['source']}: {h['count']} times, {span(h['first'], h['last'])}"
    sample = f"\n  {h['lines'][0]['line']}: {h['lines'][0]['text'][:400]}" if h["lines"] else ""
    return head + (f" ({captures})" if captures else "") + sample


def templates(data: Json) -> str:
    """One line a template: how it changed, how often, one sample's place."""
    return searched(data, [_template(t) for t in data["templates"]])


def _template(t: Json) -> str:
    counts = f"{t['before']} before, {t['after']} after" if t.get("change") else f"{t['count']} times"
    head = " ".join(part for part in (t.get("change"), t.get("level"), counts) if part)
    return f"{head} | {t['source']}:{t['sample']['line']} | {span(t['first'], t['last'])} | {t['text'][:300]}"
