"""The programs on a page of the documentation."""

import pathlib
import re

DOCS = pathlib.Path(__file__).resolve().parents[3] / "docs"


def run(page):
    """Runs all Python blocks of a page as one program."""
    blocks = re.findall(r"^```python\n(.*?)^```", (DOCS / page).read_text(), re.MULTILINE | re.DOTALL)
    assert blocks
    exec(compile("\n".join(blocks), page, "exec"), {"__name__": page})
