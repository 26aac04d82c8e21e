"""What `help()` says: every public name describes its parameters and what it returns, and its examples run."""
import doctest
import importlib
import inspect
import os
from enum import Enum

import pytest

from reject_nb.core.claims import ROOMS
from reject_nb.core.help import examples

PARTS = os.environ.get("REJECT_NB_PARTS", "").split() or ["core", "data", "risk_control", *ROOMS, "audit"]   # a few of them, where named
EXAMPLES = {f"{part}.{name}": "\n".join(lines) for part in PARTS for name, lines in examples(part).items()}


@pytest.mark.parametrize("name", EXAMPLES)
def test_example_gives_what_it_says(name):
    test = doctest.DocTestParser().get_doctest(EXAMPLES[name], {}, name, name, 0)
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    runner.run(test, out=said.append)
    assert not runner.failures, "".join(said)


def sections(text):
    """Title -> {entry: its meaning} of a docstring in numpydoc's form."""
    found: dict[str, dict[str, str]] = {}
    entry = title = ""
    lines = text.splitlines()
    for line, below in zip(lines, [*lines[1:], ""]):
        if below and set(below) == {"-"}: title, entry = line, ""
        elif title and line and set(line) != {"-"}:
            if not line.startswith(" "): entry = line.partition(" : ")[0]
            found.setdefault(title, {}).setdefault(entry, "")
            if line.startswith(" "): found[title][entry] += line.strip()
    return found


def wanting(name, thing):
    """What the help of a function or class lacks."""
    if inspect.isclass(thing) and issubclass(thing, Enum): return
    text = inspect.getdoc(thing) or ""
    said = sections(text)
    described = said.get("Parameters", {}) | said.get("Attributes", {})
    signature = inspect.signature(thing)
    for p in signature.parameters.values():
        if p.name in ("self", "cls"): continue
        star = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        if not described.get(star + p.name): yield f"{name}: {p.name} has no meaning"
    if not inspect.isclass(thing) and "Returns" not in said and signature.return_annotation not in (None, "None"):
        yield f"{name}: it does not say what it returns"


def methods(name, thing):
    """Public methods of a class that this package defines."""
    for key, value in inspect.getmembers(thing, inspect.isfunction):
        if not key.startswith("_") and value.__module__.startswith("reject_nb"): yield f"{name}.{key}", value


def public(part):
    """Public functions and classes of a part, by name."""
    overview = importlib.import_module(f"reject_nb.{part}")
    things = {name: getattr(overview, name) for name in getattr(overview, "__all__", ())}
    def shown(v): return not issubclass(v, Exception) if inspect.isclass(v) else inspect.isroutine(inspect.unwrap(v))
    return {k: v for k, v in things.items() if shown(v)}


@pytest.mark.parametrize("part", PARTS)
def test_public_names_are_described(part):
    lacks = []
    for name, thing in public(part).items():
        lacks += wanting(name, thing)
        if inspect.isclass(thing):
            for called, method in methods(name, thing): lacks += [x for x in wanting(called, method) if "meaning" in x]
        if ">>>" not in (inspect.getdoc(thing) or ""): lacks.append(f"{name}: it has no example")
    assert not lacks, "\n" + "\n".join(lacks)


@pytest.mark.parametrize("part", PARTS)
def test_every_example_is_shown(part):
    overview = importlib.import_module(f"reject_nb.{part}")
    things = [getattr(overview, name) for name in getattr(overview, "__all__", ())]
    things += [member for thing in things if inspect.isclass(thing) for _, member in inspect.getmembers(thing)]
    shown = [inspect.getdoc(thing) or "" for thing in things]
    assert not [name for name, lines in examples(part).items() if not any("\n".join(lines) in text for text in shown)]
