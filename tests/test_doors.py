"""No door states more false sentences than its delta allows; a door that is not in the table fails the test."""
import dataclasses
import importlib
import inspect
import os
import sys
import time
import zlib
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom

sys.path.insert(0, str(Path(__file__).parent))
from doors import DOORS, NO_DOOR  # noqa: E402

MODULES = "risk_control", "sdr", "mcsvm", "bernstein", "strategies", "gpc", "ood", "audit"
QUICK = 200                  # trials of a cheap door in a quick run
COLUMNS = "door", "case", "times", "delta", "false", "most", "kept"
FULL = int(os.environ.get("DOORS", 10_000))


def public_doors():
    """Public functions, classes and methods with a delta or a confidence, or whose result states one; results themselves are none."""
    results = {"CertifiedSelection", "GroupedSelection", "CertifiedRisks", "Calibration", "BoundCalibration", "CertifiedOOD", "Rule"}
    for module in MODULES:
        room = importlib.import_module(f"reject_nb.{module}")
        for name in room.__all__:
            found = getattr(room, name)
            if not callable(found) or dataclasses.is_dataclass(found): continue
            parts = {name: found}
            if inspect.isclass(found):
                parts |= {f"{name}.{k}": v for k, v in vars(found).items() if callable(v) and not k.startswith("_")}
            for part, call in parts.items():
                try: signature = inspect.signature(call)
                except (TypeError, ValueError): continue
                words = str(signature.return_annotation)
                if {"delta", "confidence"} & set(signature.parameters) or any(r in words for r in results): yield f"{module}.{part}"


def test_every_public_door_is_in_the_table():
    known = {name for door in DOORS for name in door.names} | set(NO_DOOR)
    missing = set(public_doors()) - known
    assert not missing, f"state a guarantee and are not in tests/doors.py: {sorted(missing)}"
    gone = {name for name in NO_DOOR if name not in set(public_doors())}
    assert not gone, f"in NO_DOOR and no longer public: {gone}"


def run(door, times):
    """(frequency of false sentences or mean excess, its largest value allowed)."""
    seed = zlib.crc32((door.names[0] + door.case).encode())
    found = np.array([door.trial(np.random.default_rng([seed, k])) for k in range(times)], float)
    if door.level == 0: return found.mean(), 4*found.std()/np.sqrt(times)
    return found.mean(), binom.ppf(1 - 1e-5, times, door.level)/times


@pytest.mark.filterwarnings("ignore:no (calibration|safe) point is inside the region", "ignore:every input is rejected")
@pytest.mark.parametrize("door", DOORS, ids=[f"{door.names[0]}: {door.case}" for door in DOORS])
def test_no_more_false_sentences_than_delta(door):
    frequency, allowed = run(door, max(QUICK//door.cost, 2))
    assert frequency <= allowed


@pytest.mark.slow
def test_many_repetitions_of_every_door():
    """Writes figures/risk_control/doors.csv: SLOW=1 python -m pytest tests/test_doors.py (DOORS: trials of a cheap door)."""
    from reject_nb.core.files import record_made, save_table
    began, rows = time.perf_counter(), []
    for door in DOORS:
        times = max(FULL//max(door.cost//6, 1), 200)
        frequency, allowed = run(door, times)
        rows.append((door.names[0], door.case, times, door.level, round(frequency, 4), round(allowed, 4),
                     "yes" if frequency <= allowed else "no"))
        save_table("risk_control/doors", dict(zip(COLUMNS, zip(*rows))))       # what is done so far is kept
    record_made("risk_control", "doors.csv", "SLOW=1 python -m pytest tests/test_doors.py", time.perf_counter() - began)
    assert all(row[-1] == "yes" for row in rows)
