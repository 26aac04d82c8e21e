"""Tests of nbs/dev/29_verify.ipynb, extracted from its test cells: edit them there."""
import pytest
import tempfile
from dataclasses import replace
from pathlib import Path
from reject_nb.core.claims import Claim
from reject_nb.core.claims import save_claims

from reject_nb.dev.verify import compare, moved_claim, moved_column, report

CLAIM = Claim(id="sdr/a", where="Figure 1", says="x", reported=1, measured=2., spread=None, tolerance=1,
              reason="r",
              status="match", why="", command="")

@pytest.mark.parametrize("old, new, size", [
    (["1", "2"], ["1", "2"], None), (["1", "2"], ["1", "2.5"], .5), (["nan"], ["nan"], None),
    (["0"], ["0.1"], .1),
    (["1.0"], ["1"], None)])
def test_size_of_a_move(old, new, size):
    move = moved_column("t", old, new)
    assert (move is None) if size is None else move.size == pytest.approx(size)


def test_words_that_changed_have_no_size():
    assert moved_column("t", ["a"], ["b"]).size is None and moved_column("t", ["1"], ["b"]).size is None


def test_a_rerun_is_compared_as_a_whole():
    with tempfile.TemporaryDirectory() as folder:
        old, new = Path(folder)/"old", Path(folder)/"new"
        for where, number in ((old, "1"), (new, "1.5")):
            (where/"sdr").mkdir(parents=True)
            (where/"sdr"/"t.csv").write_text(f"x,y\n{number},a\n")
            save_claims([replace(CLAIM, measured=float(number))], where)
        (new/"sdr"/"u.csv").write_text("x\n1\n")
        moves, tables, claims = compare(["sdr"], old, new)
        assert [m.what for m in moves] == ["sdr/t.csv, x", "sdr/u.csv", "claim sdr/a"] and (tables,
                                                                                            claims) == (2, 1)
        assert moves[0].size == .5 and report(moves, 2, 1).endswith("3 moves in 2 tables and 1 claims")
        assert report([], 2, 1) == "nothing moved in 2 tables and 1 claims"


def test_claims_of_one_run_alone_are_said():
    with tempfile.TemporaryDirectory() as folder:
        old, new = Path(folder)/"old", Path(folder)/"new"
        for where, id in ((old, "sdr/was"), (new, "sdr/now")):
            (where/"sdr").mkdir(parents=True)
            save_claims([CLAIM, replace(CLAIM, id=id)], where)
        moves, tables, claims = compare(["sdr"], old, new)
    assert [str(m) for m in moves] == ["claim sdr/now: is new", "claim sdr/was: is gone"]
    assert (tables, claims) == (0, 1)


def test_a_status_that_changed_is_said():
    assert "match, now differs" in str(moved_claim(CLAIM, replace(CLAIM, status="differs")))
    assert moved_claim(CLAIM, CLAIM) is None
