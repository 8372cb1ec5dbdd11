#!/usr/bin/env python3
"""Preprocessor of mdBook: keeps the text of links that lead out of docs/, and drops the links.

Code is left alone. `mdbook build` runs it; see book.toml.
"""

import json
import re
import sys

FENCE = re.compile(r"^(```.*?^```$)", re.MULTILINE | re.DOTALL)


def inside(text, depth):
    """Drops links that climb higher than the page's depth below docs/."""
    out = re.compile(r"\[([^\]]+)\]\((?:\.\./){%d}[^)\s]+\)" % (depth + 1))
    parts = FENCE.split(text)
    return "".join(part if part.startswith("```") else out.sub(r"\1", part) for part in parts)


def visit(items):
    for item in items:
        chapter = item.get("Chapter") if isinstance(item, dict) else None
        if chapter:
            depth = (chapter.get("path") or "").count("/")
            chapter["content"] = inside(chapter["content"], depth)
            visit(chapter["sub_items"])


def main():
    if sys.argv[1:2] == ["supports"]:
        return
    _, book = json.load(sys.stdin)
    visit(book.get("items") or book.get("sections") or [])
    json.dump(book, sys.stdout)


if __name__ == "__main__":
    main()
