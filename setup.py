"""A wheel carries no notebooks, so the examples that `help()` shows are written into a file for it. All else is in pyproject.toml."""
import json
import sys
from pathlib import Path

from setuptools import setup

if Path("nbs").is_dir():
    sys.path.insert(0, "")
    from reject_nb.core.help import examples
    found = {folder.name: examples(folder.name) for folder in sorted(Path("nbs").iterdir()) if folder.is_dir()}
    Path("reject_nb/examples.json").write_text(json.dumps(found, indent=1, ensure_ascii=False), encoding="utf-8")
setup()
