"""Tests of nbs/core/10_claims.ipynb, extracted from its test cells: edit them there."""
import json
import numpy as np
import pytest
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from reject_nb.core.claims import (
    Claim, ITEMS, Statement, by_cause, captions, claim, claims_file, claims_table, finish, item_status,
    judge, load_claims, replace_room, statements, summary, uncovered,
)

def test_judge_numbers_and_statements():
    assert judge(.009, .0094, tolerance=.0005) == "match"
    assert judge(.009, .0109, tolerance=.0005) == "differs"
    assert judge(1.0, 1.0, tolerance=0) == "match"
    assert judge("a < b", "holds in 5 of 5", holds=True) == "match"


def test_judge_refuses_half_a_claim():
    for bad in (dict(), dict(tolerance=.1, holds=True)):
        with pytest.raises(ValueError, match="either tolerance"): judge(1, 1, **bad)
    with pytest.raises(ValueError, match="measured must be a finite"): judge(1., float("nan"), tolerance=1)
    with pytest.raises(ValueError, match="tolerance must be"): judge(1., 1., tolerance=-1)

BASE = dict(id="sdr/b", where="Figure 1", kind="number", says="x", reported=1, tolerance=1e-3, reason="print")
EXPLAINED = dict(cause="erratum", evidence="sdr/t.csv", why="a slip of {size:.1f}")

def _toml(entries):
    lines = []
    for entry in entries:
        lines += ["[[claim]]", *(f"{name} = {json.dumps(value)}" for name, value in entry.items())]
    return "\n".join(lines)


@contextmanager
def _file_of(*entries, room="sdr"):
    "A folder of claims, with a claims.toml that holds these entries."
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as env:
        env.setenv("REJECT_NB_OUT", folder)
        (Path(folder)/room).mkdir()
        (Path(folder)/room/"claims.toml").write_text(_toml(entries))
        env.chdir(Path(folder)/room)
        yield


def test_claim_round_trip_and_replacement():
    with _file_of({**BASE, **EXPLAINED}):
        assert claim("sdr/b", 1.0000001, size=2).why == ""
        found = claim("sdr/b", 2/3, size=1/3)
        assert load_claims() == {"sdr/b": found} and found.measured == .666667
        assert (found.status, found.cause, found.why) == ("differs", "erratum", "a slip of 0.3")
        replace_room("sdr", [])
        assert load_claims() == {}


def test_spreads_widen_a_tolerance():
    with _file_of({**BASE, "spreads": 2}):
        assert claim("sdr/b", 1.02, spread=.01).tolerance == pytest.approx(.021)
        with pytest.raises(ValueError, match="must give its cause"): claim("sdr/b", 1.03, spread=.01)
        with pytest.raises(ValueError, match="spread must"): claim("sdr/b", 1.02)


def test_finish_records_what_is_missing_and_stops_where_one_was_forgotten():
    statement = dict(id="sdr/f1", where="Lemma 1", kind="statement", says="x")
    gone = dict(id="sdr/f2", where="Table 2", kind="number", says="x", reported=3, missing="no data")
    with _file_of(statement, gone):
        with pytest.raises(ValueError, match="no cell measures sdr/f1"): finish("sdr")
        with pytest.raises(ValueError, match="it cannot be: no data"): claim("sdr/f2", 1)
        claim("sdr/f1", "3 of 3", holds=np.bool_(True))
        assert finish("sdr") == {"match": 1, "differs": 0, "not run": 1}
        assert load_claims()["sdr/f2"].why == "no data"


def test_claims_from_many_threads_all_arrive():
    many = [dict(BASE, id=f"sdr/c{k}") for k in range(24)]
    with _file_of(*many):
        with ThreadPoolExecutor(8) as pool: list(pool.map(lambda s: claim(s["id"], 1), many))
        assert len(load_claims()) == 24


@pytest.mark.parametrize("change, words", [
    (dict(id="sdr"), "id must be"), (dict(id="kitchen/a"), "id must be"),
    (dict(where="page 3"), "where must"), (dict(where="Table 1; page 3"), "where must"),
    (dict(kind="guess"), "kind must"),
    (dict(says=" "), "says must"), (dict(reason=""), "reason must"), (dict(reported="one"), "reported must"),
    (dict(kind="statement"), "only a number"), (dict(cause="erratum"), "come together"),
    (dict(cause="a slip", evidence="x", why="y"), "cause must")])
def test_incomplete_statements_are_refused(change, words):
    Statement(**BASE)
    with pytest.raises(ValueError, match=words): Statement(**{**BASE, **change})


@pytest.mark.parametrize("entries, words", [
    ([BASE, BASE], "stands twice"), ([dict(BASE, id="ood/b")], "does not belong"),
    ([dict(BASE, note="x")], "unknown fields")])
def test_files_that_contradict_themselves_are_refused(entries, words):
    with _file_of(*entries), pytest.raises(ValueError, match=words): statements("sdr")


@pytest.mark.parametrize("kind, verdict, words", [
    ("number", True, "leave holds out"), ("statement", None, "holds must be the computed truth"),
    ("ordering", "yes", "holds must be the computed truth"),
    ("figure", 1, "holds must be the computed truth")])
def test_verdicts_belong_to_statements(kind, verdict, words):
    numbers = {} if kind == "number" else dict(tolerance=None, reason="", reported="x")
    entry = {name: value for name, value in {**BASE, "kind": kind, **numbers}.items() if value is not None}
    with _file_of(entry), pytest.raises(ValueError, match=words): claim("sdr/b", 1, holds=verdict)


def test_a_verdict_that_holds_of_a_wrong_input_is_refused():
    told = dict(id="sdr/f", where="Figure 1", kind="ordering", says="x", falsified="a is larger")
    with _file_of(told, dict(told, id="sdr/g", falsified="")):
        assert claim("sdr/f", "x", holds=np.bool_(True), falsified=np.bool_(False)).status == "match"
        for id, given, words in (("sdr/f", True, "holds also where a is larger"),
                                 ("sdr/f", None, "falsified must be the computed truth where a is larger"),
                                 ("sdr/f", 0, "falsified must be"), ("sdr/g", False, "must say what is")):
            with pytest.raises(ValueError, match=words): claim(id, "x", holds=True, falsified=given)
    with pytest.raises(ValueError, match="leave falsified out"): Statement(**BASE, falsified="x")


def test_unknown_claims_and_infinite_numbers_are_refused():
    with _file_of(BASE):
        for id in ("sdr/c", "kitchen/c", "sdr"):
            with pytest.raises(ValueError, match="id must be"): claim(id, 1)
        with pytest.raises(ValueError, match="measured must be a finite"): claim("sdr/b", float("inf"))


@pytest.mark.parametrize("where, expected", [
    ("Table 1", []), ("Table 1(a), row 3", []), ("Table 1.5", ["Table 1"]), ("Table 10", ["Table 1"]),
    ("Section 2; Table 1", []), ("Table 2", ["Table 1"])])
def test_items_without_a_claim_are_found(where, expected):
    with _file_of(dict(BASE, where=where)):
        path = Path("claims.toml")
        path.write_text('[items]\nstates = ["Table 1"]\n' + path.read_text())
        assert uncovered("sdr") == expected


def test_a_file_of_claims_can_be_read_as_text():
    "Letters beyond ASCII stand as they are: people read the file in diffs."
    with _file_of({**BASE, "says": "§ 3: ≥ ½"}):
        claim("sdr/b", 1)
        assert "§ 3: ≥ ½" in claims_file().read_text(encoding="utf-8")


def test_spreads_stand_beside_our_numbers():
    def made(**change):
        return Claim(**{**dict(id="sdr/x", where="Figure 1", says="x", reported=1, measured=.5, spread=None,
                               tolerance=1, reason="",
                               status="match", why="", command=""), **change})
    shown = claims_table([made(), made(spread=.25), made(spread="over 3 seeds")])["ours"]
    assert shown == ["0.5", "0.5 \u00b1 0.25", "0.5 over 3 seeds"]


def test_every_item_starts_as_not_run():
    assert {item_status(i, {}) for i in ITEMS} == {"not run"}
    to_come = summary({})["figures and tables to come"]
    assert sum(len(m.split(", ")) for m in to_come) == len(ITEMS) == 24   # 1+2+2+9+7+3, counted in the papers


def test_item_status_follows_its_claims():
    item = next(i for i in ITEMS if (i.room, i.where) == ("sdr", "Figure 1"))
    def made(where, status, room="sdr"):
        return Claim(id=f"{room}/x", where=where, says="x", reported=1, measured=1, spread=None,
                     tolerance=None, reason="",
                     status=status, why="", command="")
    assert item_status(item, {"sdr/x": made("Figure 1, second row", "match")}) == "match"
    assert item_status(item, {"sdr/x": made("Figure 1", "match"),
                              "sdr/y": made("Figure 1", "not run")}) == "in part"
    assert item_status(item, {"sdr/x": made("Figure 1", "differs"),
                              "sdr/y": made("Figure 1", "match")}) == "differs"
    assert item_status(item, {"sdr/x": made("Figure 10", "match"),
                              "ood/x": made("Figure 1", "match", "ood")}) == "not run"


def test_a_table_counts_the_claims_of_each_module():
    def made(room, status, where="Figure 99"):
        return Claim(id=f"{room}/{len(asked)}", where=where, says="x", reported=1, measured=1, spread=None,
                     tolerance=None, reason="", status=status, why="", command="")
    asked: dict[str, Claim] = {}
    for room, status in [("sdr", "match")]*3 + [("sdr", "differs"), ("ood", "not run"), ("ood", "match")]:
        asked[str(len(asked))] = made(room, status)
    found = summary(asked)
    rows = {room: [found[status][i] for status in ("match", "differs", "not run")]
            for i, room in enumerate(found["module"])}
    assert rows["sdr"] == [3, 1, 0] and rows["ood"] == [1, 0, 1] and rows["gpc"] == [0, 0, 0]
    done = {"sdr/x": made("sdr", "match", "Figure 1")}
    before, after = ({room: words for room, words in zip(t["module"], t["figures and tables to come"])}
                     for t in (summary({}), summary(done)))
    assert "Figure 1" in before["sdr"].split(", ") and "Figure 1" not in after["sdr"].split(", ")
    assert {room for room in before if before[room] != after[room]} == {"sdr"}


@pytest.mark.parametrize("measured, verdict", [(1.1, "match"), (.9, "match"), (1.1 + 1e-9, "differs")])
def test_a_difference_of_exactly_the_tolerance_is_none(measured, verdict):
    "1.1 - 1 is above .1 in floating point: rounding decides nothing."
    assert abs(1.1 - 1.) > .1 and judge(1., measured, tolerance=.1) == verdict


def test_claims_that_differ_are_counted_by_cause():
    def made(id, **change):
        return Claim(**dict(id=id, where="Figure 1", says="x", reported=1, measured=2, spread=None,
                            tolerance=1, reason="", status="differs", why="", command="") | change)
    asked = [made("sdr/a", cause="erratum"), made("sdr/b", cause="erratum"), made("sdr/c", cause="refuted"),
             made("sdr/d", status="match"), made("ood/e", cause="erratum")]
    found = by_cause({c.id: c for c in asked})
    modules = found.pop("module")
    rows = {room: {k: v[i] for k, v in found.items()} for i, room in enumerate(modules)}
    assert {k: n for k, n in rows["sdr"].items() if n} == {"differs": 3, "erratum": 2, "refuted": 1}
    assert {k: n for k, n in rows["ood"].items() if n} == {"differs": 1, "erratum": 1}
    assert not any(rows["gpc"].values())


def test_pictures_have_captions():
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as env:
        (Path(folder)/"sdr").mkdir()
        (Path(folder)/"sdr"/"claims.toml").write_text('[captions]\n"a.png" = "What to see."\n')
        env.chdir(Path(folder)/"sdr")
        assert captions("sdr") == {"a.png": "What to see."}
        env.chdir(folder)
        env.setitem(captions.__globals__, "project_root", lambda: None)
        with pytest.raises(FileNotFoundError, match="checkout"): captions("sdr")
