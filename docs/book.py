#!/usr/bin/env python3
"""Gathers the pages of the book: `docs/book.py DIR` writes into `DIR` what mdBook makes a site of.

The pages are those that `docs/SUMMARY.md` names. They keep their places in the project, so that their links hold. Files
that they link to and that are no pages are copied beside them. Only the Python standard library is used.
"""

import os
import re
import shutil
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent
PROJECT = DOCS.parent
LINK = re.compile(r"\]\(([^)#\s]+)(#[^)\s]*)?\)")
CODE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def targets(page: Path, text: str) -> list[tuple[str, Path]]:
    """The relative links of a page without their anchors, each with the file that it leads to."""
    links = [link for link, _ in LINK.findall(CODE.sub("", text)) if "://" not in link]
    return [(link, (page.parent / link).resolve()) for link in links]


def refuse(sentence: str) -> None:
    print(f"docs/book.py: {sentence}", file=sys.stderr)
    sys.exit(2)


def gather(folder: Path) -> None:
    """Writes the sources of the book into `folder`."""
    summary = DOCS / "SUMMARY.md"
    text = summary.read_text()
    pages = [target for _, target in targets(summary, text)]
    files = []
    for page in pages:
        if not page.is_file():
            refuse(f"docs/SUMMARY.md names `{os.path.relpath(page, PROJECT)}`, which is not there")
        for link, target in targets(page, page.read_text()):
            if not target.is_file() or not target.is_relative_to(PROJECT):
                refuse(f"{os.path.relpath(page, PROJECT)}: the link `{link}` leads to no file of the project")
            files.append(target)
    source = folder / "src"
    if source.exists():
        shutil.rmtree(source)
    for file in {*pages, *files}:
        place = source / file.relative_to(PROJECT)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, place)
    for file in ("book.toml", "book.css"):
        shutil.copyfile(DOCS / file, folder / file)
    # the summary stands at the top of the sources
    moved = LINK.sub(lambda link: f"]({(DOCS / link[1]).resolve().relative_to(PROJECT)})", text)
    (source / "SUMMARY.md").write_text(moved)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        refuse("one argument is needed: the folder in which the sources of the book are put")
    gather(Path(sys.argv[1]))
