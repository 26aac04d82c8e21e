"""Tests of nbs/core/10_claims.ipynb, extracted from its test cells: edit them there."""
import pytest
from concurrent.futures import ThreadPoolExecutor
from tempfile import TemporaryDirectory

from reject_nb.core.claims import (
    Claim, ITEMS, claim, item_status, judge, load_claims, not_run, replace_room, summary,
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


def test_claim_round_trip_and_replacement():
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as env:
        env.setenv("REJECT_NB_OUT", folder)
        assert claim("sdr/b", "Figure 1", "x", reported=1, measured=1.0000001, tolerance=1e-3,
                     reason="print", why="if it did").why == ""
        not_run("gpc/a", "Figure 2", "x", why="not yet")
        claim("sdr/b", "Figure 1", "x", reported=1, measured=2/3, tolerance=1e-3, reason="print",
              why="a slip")
        found = load_claims()
        assert list(found) == ["sdr/b", "gpc/a"]
        assert found["sdr/b"].status == "differs" and found["sdr/b"].measured == .666667
        replace_room("sdr", [])
        assert list(load_claims()) == ["gpc/a"]


def test_claims_from_many_threads_all_arrive():
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as env:
        env.setenv("REJECT_NB_OUT", folder)
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda k: not_run(f"ood/c{k}", "Table 1", "x", why="y"), range(24)))
        assert len(load_claims()) == 24


@pytest.mark.parametrize("change, words", [
    (dict(id="sdr"), "id must be"), (dict(id="kitchen/a"), "id must be"),
    (dict(where="page 3"), "where must"),
    (dict(says=" "), "says must"), (dict(reason=""), "reason must"), (dict(measured=2), "why must explain"),
    (dict(measured=float("inf")), "finite")])
def test_incomplete_claims_are_refused(change, words):
    ok = dict(id="sdr/a", where="Figure 1", says="x", reported=1, measured=1, tolerance=0, reason="exact")
    with pytest.raises(ValueError, match=words): claim(**{**ok, **change})


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
    assert item_status(item, {"sdr/x": made("Figure 1", "differs"),
                              "sdr/y": made("Figure 1", "match")}) == "differs"
    assert item_status(item, {"sdr/x": made("Figure 10", "match"),
                              "ood/x": made("Figure 1", "match", "ood")}) == "not run"
