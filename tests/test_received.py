"""The answer that a person receives keeps the guarantee: row by row, at the defaults, after pickling; a door that is not asked fails the test."""
import dataclasses
import importlib
import inspect
import os
import re
import sys
import time
import typing
import warnings
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))
from doors import NO_DOOR  # noqa: E402
from received import MODELS, NOT_RECEIVED, RECEIVED, changed  # noqa: E402
from test_doors import COLUMNS, MODULES, public_doors, run  # noqa: E402

PROMISE = re.compile(r"guarantee|probability (that|at most|at least)", re.IGNORECASE)   # words that state one
QUICK, FEWEST = 150, 6       # trials of a cheap door in a quick run, and of an expensive one: six false ones of six are too many for delta = .1
FULL = int(os.environ.get("RECEIVED", 10_000))
FITS = [("text", 0), ("objects", 2), ("whole numbers", 3)]


def results_of(call) -> list:
    """Classes that a function returns."""
    try: found = typing.get_type_hints(call).get("return")
    except (NameError, TypeError): return []
    return [one for one in (found, *typing.get_args(found)) if inspect.isclass(one)]


def public_answers():
    """Doors of tests/doors.py, what else states a guarantee in its help, and every method of a result that has a delta or a statement."""
    yield from public_doors()
    for module in MODULES:
        room = importlib.import_module(f"reject_nb.{module}")
        found = {name: getattr(room, name) for name in room.__all__ if callable(getattr(room, name))}
        doors = {name.split(".")[1] for name in public_doors() if name.startswith(module)}
        found |= {one.__name__: one for name in doors for one in results_of(found[name]) if one.__module__.startswith(f"reject_nb.{module}")}
        for name, part in found.items():
            parts = {name: part}
            if inspect.isclass(part):
                parts |= {f"{name}.{k}": v for k, v in inspect.getmembers(part, callable)
                          if (k == "__call__" or not k.startswith("_")) and str(getattr(v, "__module__", "")).startswith("reject_nb")}
            result = dataclasses.is_dataclass(part) and {"delta", "confidence", "statement"} & {*dir(part), *(f.name for f in dataclasses.fields(part))}
            for k, call in parts.items():
                help_text = (inspect.getdoc(call) or "").split("Examples\n")[0]
                if result and "." in k or PROMISE.search(help_text): yield f"{module}.{k}"


def test_every_public_answer_is_received():
    known = {name for door in RECEIVED for name in door.names} | {name.split(",")[0] for name in MODELS} | set(NOT_RECEIVED) | set(NO_DOOR)
    known |= {name.rpartition(".")[0] for name in known}                     # a class is received if one of its methods is
    asked = set(public_answers())
    assert not asked - known, f"state a guarantee and are not in tests/received.py: {sorted(asked - known)}"
    assert set(NOT_RECEIVED) <= asked, f"in NOT_RECEIVED and no longer there: {sorted(set(NOT_RECEIVED) - asked)}"


@pytest.mark.parametrize("kind, seed", FITS)
@pytest.mark.parametrize("name", MODELS)
def test_every_way_of_asking_gives_the_same_answer(name, kind, seed):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert not changed(name, np.random.default_rng(seed), kind)


@pytest.mark.parametrize("door", RECEIVED, ids=[f"{door.names[0]}: {door.case}" for door in RECEIVED])
def test_no_more_false_sentences_than_delta(door):
    frequency, allowed = run(door, max(QUICK//door.cost, FEWEST))
    assert frequency <= allowed


@pytest.mark.slow
def test_many_repetitions_of_what_is_received():
    """Writes figures/risk_control/received.csv: SLOW=1 python -m pytest tests/test_received.py (RECEIVED: trials of a cheap door)."""
    from reject_nb.core.files import record_made, save_table
    began, table = time.perf_counter(), []

    def keep(name, case, times, delta, false, most):
        table.append((name, case, times, delta, round(false, 4), round(most, 4), "yes" if false <= most else "no"))
        save_table("risk_control/received", dict(zip(COLUMNS, zip(*table))))   # what is done so far is kept
    for name in MODELS:
        times = max(FULL//100, 10)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            share = np.mean([bool(changed(name, np.random.default_rng([9, k]), "text")) for k in range(times)])
        keep(name, "fits with an answer that depends on the way of asking", times, 0., share, 0.)
    for door in RECEIVED:
        times = max(FULL//max(door.cost//6, 1), 200)
        keep(door.names[0], door.case, times, door.level, *run(door, times))
    record_made("risk_control", "received.csv", "SLOW=1 python -m pytest tests/test_received.py", time.perf_counter() - began)
    assert all(row[-1] == "yes" for row in table)
