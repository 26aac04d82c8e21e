"""Every public call, with every argument replaced by twelve kinds of bad value: the error names the argument, or a table says why the value is legal.

tests/<part>/calls.py holds `calls()`: name -> (callable, valid keyword arguments), where the name is that of a function, a class or
"Class.method"; and LEGAL: (call, parameter, kind) -> reason, in which "*" stands for any of them."""
import copy
import dataclasses
import importlib
import importlib.util
import inspect
import os
import re
import signal
import time
import warnings
from enum import Enum
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from reject_nb.core.claims import ROOMS

HERE = Path(__file__).parent
PARTS = os.environ.get("REJECT_NB_PARTS", "").split() or ["core", "data", "risk_control", *ROOMS, "audit"]   # a few of them, where named
SECONDS = 10   # of processor time for one bad call, compilation included
PATIENCE = 12  # seconds by the clock for each of them, for calls that wait


class TooLong(BaseException):
    """A call that did not come back; no `except Exception` swallows it."""


def _array(value):
    """The value as an array where it is one, a list or a tuple of numbers or of texts; else None."""
    if isinstance(value, np.ndarray): return value
    if not isinstance(value, (list, tuple)) or not value: return None
    try: made = np.asarray(value)
    except (TypeError, ValueError): return None
    return made if made.dtype.kind in "biufcUS" else None


def _first(array, bad):
    """The array with a bad first value; all of them where it does not hold numbers."""
    if array.dtype.kind not in "biuf": return np.full(array.shape, bad)
    made = array.astype(np.result_type(float, type(bad)))
    made[(0,)*made.ndim] = bad
    return made


def bad_value(kind, good):
    """A bad value of a kind, made from a good one; `Ellipsis` where the good value is of that kind."""
    array = _array(good)
    whole = isinstance(good, (int, np.integer))
    if kind == "none": return ... if good is None else None
    if kind == "text": return "no such thing"
    if kind == "ragged": return [[1., 2.], [3.]]
    if kind == "object": return object()
    if kind == "bool": return ... if isinstance(good, (bool, np.bool_)) else True
    if array is None or array.size == 0:
        return {"nan": float("nan"), "inf": float("inf"), "empty": [], "wrong_shape": [[[1., 2.]]], "complex": 1 + 1j,
                "masked": np.ma.masked_array([1., 2.], mask=[True, False]) if good is None else np.ma.masked, "huge": 10**30 if whole else 1e308}[kind]
    if kind == "nan": return _first(array, float("nan"))
    if kind == "inf": return _first(array, float("inf"))
    if kind == "empty": return array[:0]
    if kind == "wrong_shape": return np.stack([np.stack([array, array])]*2)
    if kind == "complex": return array + 1j if array.dtype.kind in "biufc" else np.full(array.shape, 1j)
    if kind == "masked": return np.ma.masked_array(array, mask=_mask(array.shape))
    return np.full(array.shape, 1e308)


def _mask(shape):
    mask = np.zeros(shape, dtype=bool)
    mask[(0,)*len(shape)] = True
    return mask


KINDS = ("none", "text", "nan", "inf", "empty", "wrong_shape", "ragged", "complex", "masked", "object", "huge", "bool")


@cache
def table(part):
    """(calls, LEGAL) of a part; nothing where it has no calls.py."""
    path = HERE/part/"calls.py"
    if not path.is_file(): return {}, {}
    spec = importlib.util.spec_from_file_location(f"calls_{part}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.calls(), getattr(module, "LEGAL", {})


def reason(legal, *key):
    """The entry of LEGAL that speaks of a call, a parameter and a kind; None without one."""
    return next((entry for entry in legal if all(e in ("*", k) for e, k in zip(entry, key, strict=True))), None)


def limited(function, arguments):
    """Call a function, for some seconds of processor time at most; others may keep the machine busy."""
    def stop(*_): raise TooLong
    timers = {signal.SIGPROF: (signal.ITIMER_PROF, SECONDS), signal.SIGALRM: (signal.ITIMER_REAL, PATIENCE*SECONDS)}
    before = {sign: signal.signal(sign, stop) for sign in timers}
    for timer, seconds in timers.values(): signal.setitimer(timer, seconds)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return function(**arguments)
    finally:
        for timer, _ in timers.values(): signal.setitimer(timer, 0)
        for sign, handler in before.items(): signal.signal(sign, handler)


@cache
def outcome(part, call, parameter, kind):
    """'named', 'returned', 'good' (not bad after all), or what went wrong in words."""
    function, arguments = table(part)[0][call]
    bad = bad_value(kind, arguments[parameter])
    if bad is ...: return "good"
    try: limited(function, {**arguments, parameter: bad})
    except TooLong: return f"no answer within {SECONDS} s"
    except Exception as error:
        if re.search(rf"(?<!\w){re.escape(parameter)}(?!\w)", str(error)): return "named"
        return f"{type(error).__name__} does not name it: {str(error)[:200]}"
    return "returned"


CALLS = [(part, call) for part in PARTS for call in table(part)[0]]


@pytest.mark.parametrize("part, call", CALLS)
def test_good_arguments_are_taken(part, call):
    function, arguments = table(part)[0][call]
    limited(function, arguments)


def spoken_of(part, entry):
    """The bad calls that an entry of LEGAL speaks of."""
    return [(part, call, parameter, kind) for call, (_, arguments) in table(part)[0].items() for parameter in arguments
            for kind in KINDS if reason([entry], call, parameter, kind)]


def check_entry(part, entry):
    """An entry of LEGAL gives a reason, and is needed: a value that it speaks of is taken."""
    assert table(part)[1][entry], f"{entry} gives no reason"
    assert any(outcome(*case) in ("returned", "good") for case in spoken_of(part, entry)), f"{entry} is needed no more: such a value is refused"


@pytest.mark.parametrize("part, call", CALLS)
def test_bad_arguments_are_named(part, call):
    """Every kind for every parameter of a call, and what is called legal for it; a test for each of the 17,000 values would take longer."""
    (_, arguments), legal, wrong = table(part)[0][call], table(part)[1], []
    for parameter in arguments:
        for kind in KINDS:
            found = outcome(part, call, parameter, kind)
            allowed = ("named", "good", "returned") if reason(legal, call, parameter, kind) else ("named", "good")
            if found not in allowed: wrong.append(f"{call}({parameter}={kind}): {found}")
    assert not wrong, "\n" + "\n".join(wrong)
    for entry in legal:
        if entry[0] == call: check_entry(part, entry)


@pytest.mark.parametrize("part", PARTS)
def test_what_is_called_legal_anywhere_is_taken(part):
    calls, legal = table(part)
    assert not [entry for entry in legal if entry[0] not in {"*", *calls}], "an entry of LEGAL speaks of no call"
    for entry in legal:
        if entry[0] == "*": check_entry(part, entry)


def is_record(thing):
    """A class that only holds results: nothing is checked where it is made."""
    if issubclass(thing, (Enum, Exception)): return True
    if issubclass(thing, tuple) and hasattr(thing, "_fields"): return True
    return dataclasses.is_dataclass(thing) and not hasattr(thing, "__post_init__")


def parameters(thing):
    """Names of what a function or class takes, but `self` and what is collected by a star."""
    collected = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return {p.name for p in inspect.signature(thing).parameters.values() if p.kind not in collected} - {"self", "cls"}


def public(part):
    """What the overview of a part lists, by name."""
    overview = importlib.import_module(f"reject_nb.{part}")
    return {name: getattr(overview, name) for name in getattr(overview, "__all__", ())}


def doors(part):
    """Name -> parameters, of every public function, class and method that takes any."""
    things, found, done = public(part), {}, set()   # done: methods that are called on some class
    for name in table(part)[0]:
        owner, _, key = name.partition(".")
        if key and owner in things: done.add((key, getattr(things[owner], key, None)))
    for name, thing in things.items():
        if not inspect.isclass(thing):
            if inspect.isroutine(inspect.unwrap(thing)): found[name] = parameters(thing)
            continue
        if not is_record(thing): found[name] = parameters(thing)
        for key, method in inspect.getmembers(thing, inspect.isfunction):
            if key.startswith("_") or not method.__module__.startswith("reject_nb"): continue
            if (key, method) not in done or f"{name}.{key}" in table(part)[0]: found[f"{name}.{key}"] = parameters(method)
    return {name: takes for name, takes in found.items() if takes}


@pytest.mark.parametrize("part", PARTS)
def test_every_public_call_is_tried(part):
    if not table(part)[0]:
        if public(part): pytest.fail(f"tests/{part}/calls.py is missing")
        pytest.skip(f"{part} has no public names")
    calls, missing = table(part)[0], []
    for name, takes in doors(part).items():
        if name not in calls: missing.append(f"{name} is not called")
        else: missing += [f"{name} is called without {p}" for p in sorted(takes - set(calls[name][1]))]
    assert not missing, "\n" + "\n".join(missing)


def test_what_nobody_calls_is_found(monkeypatch):
    """A public function without an entry, and a parameter that no entry gives."""
    overview = importlib.import_module("reject_nb.data")
    def new(x): return x
    monkeypatch.setattr(overview, "new", new, raising=False)
    monkeypatch.setattr(overview, "__all__", [*overview.__all__, "new"])
    with pytest.raises(AssertionError, match="new is not called"): test_every_public_call_is_tried("data")
    monkeypatch.setitem(table("data")[0], "new", (new, {}))
    with pytest.raises(AssertionError, match="new is called without x"): test_every_public_call_is_tried("data")


def test_bad_values_are_bad():
    """The kinds hold for a number, a vector, a matrix, a label and an object."""
    for good in (.5, 3, np.arange(4.), np.ones((3, 2)), np.array(["a", "b"]), "choice", None, object()):
        for kind in KINDS:
            bad = bad_value(kind, good)
            assert bad is not good and (bad is ... or type(bad) is not type(good) or not np.array_equal(bad, good) or kind == "masked")
    assert np.isnan(bad_value("nan", np.arange(3))[0]) and bad_value("nan", np.arange(3))[1] == 1
    assert bad_value("empty", np.ones((3, 2))).shape == (0, 2) and bad_value("bool", False) is ... and bad_value("none", None) is ...


def test_a_call_that_does_not_come_back_is_stopped(monkeypatch):
    monkeypatch.setitem(globals(), "SECONDS", .05)
    def forever():
        while True: pass
    with pytest.raises(TooLong): limited(forever, {})
    with pytest.raises(TooLong): limited(lambda: time.sleep(60), {})


FORMED = [part for part in ("mcsvm", "bernstein") if part in PARTS]   # whose answers are compared for other forms of a value


def other_forms(good):
    """Kind -> (a value as users have it, the plain one that it stands for)."""
    array = _array(good)
    if array is None or array.dtype.kind not in "biuf" or not array.ndim: return {}
    forms = {"single": (array.astype(np.float32), array.astype(np.float32).astype(float)), "backwards": (array[::-1].copy()[::-1], array),
             "objects": (array.astype(object), array)}
    try: import pandas as pd
    except ImportError: return forms
    table = pd.Series if array.ndim == 1 else pd.DataFrame
    if array.ndim < 3: forms["other index"] = (table(array, index=np.arange(len(array))[::-1]), array)
    return forms


def leaves(found, path="", depth=0):
    """Name -> number, text or array in a result; what differs from run to run is left out."""
    if found is None or isinstance(found, (str, bool, int, float, np.generic, np.ndarray, Enum)): return {path: found}
    if isinstance(found, dict): items = found.items()
    elif hasattr(found, "_fields"): items = zip(found._fields, found)
    elif isinstance(found, (list, tuple)): items = enumerate(found)
    elif hasattr(found, "get_params"): items = [(key, value) for key, value in vars(found).items() if "_" in (key[0], key[-1])]   # what is learned
    elif hasattr(found, "__dict__"): items = vars(found).items()
    else: return {}
    kept = [(key, value) for key, value in items if depth < 6 and not re.search("second|time|message|iter|feature_names", str(key))]
    return {name: value for key, one in kept for name, value in leaves(one, f"{path}.{key}", depth + 1).items()}


def differs(found, plain):
    """The name of the first difference of two results, above what rounding may do; None without one."""
    found, plain = leaves(found), leaves(plain)
    if set(found) != set(plain): return str(sorted(set(found) ^ set(plain))[:3])
    for name, value in found.items():
        a, b = np.asarray(value), np.asarray(plain[name])
        numbers = {a.dtype.kind, b.dtype.kind} <= set("biuf")
        if a.shape != b.shape or not (np.allclose(a, b, rtol=1e-6, atol=1e-8, equal_nan=True) if numbers else np.array_equal(a, b)): return name
    return None


def answer(call, arguments, parameter):
    """('answer', what came), ('named', None), or ('failed', words)."""
    try: return "answer", copy.deepcopy(limited(call, arguments))
    except TooLong: return "failed", f"no answer within {SECONDS} s"
    except Exception as error:
        named = re.search(rf"(?<!\w){re.escape(parameter)}(?!\w)", str(error))
        return ("named", None) if named else ("failed", f"{type(error).__name__}: {str(error)[:200]}")


@pytest.mark.parametrize("part, call", [(part, call) for part in FORMED for call in table(part)[0]])
def test_other_forms_of_a_value_have_its_answer(part, call):
    (function, arguments), wrong = table(part)[0][call], []
    for parameter, good in arguments.items():
        for kind, (value, plain) in other_forms(good).items():
            what, found = answer(function, {**arguments, parameter: value}, parameter)
            if what == "named": continue
            base, wanted = answer(function, {**arguments, parameter: plain}, parameter)
            where = differs(found, wanted) if what == base == "answer" else f"{what} {found}, plain {base}"
            if where: wrong.append(f"{call}({parameter}={kind}): {where}")
    assert not wrong, "\n" + "\n".join(wrong)


def test_differences_are_seen():
    assert differs({"a": np.ones(2), "seconds": 1.}, {"a": np.ones(2) + 1e-9, "seconds": 2.}) is None
    for other in ({"a": np.ones(3)}, {"a": np.array([1., 2.])}, {"b": np.ones(2)}, {"a": "1"}): assert differs({"a": np.ones(2)}, other)
    assert differs([("x", 1)], [("x", 2)]) == ".0.1"
