"""Tests of nbs/dev/09_truth.ipynb, extracted from its test cells: edit them there."""
import pytest

from reject_nb.dev.truth import there_is, typed_in

@pytest.mark.parametrize("call, expected", [
    ("claim('sdr/a', measured=x, holds=x > 1)", 0),
    ("claim('sdr/a', measured=f'{x:.2f}', holds=bool(x > 1))", 0),
    ("claim('sdr/a', measured=3)", 1), ("claim('sdr/a', -.5)", 1),
    ("claim('sdr/a', measured='three', holds=True)", 2),
    ("claim('sdr/a', f'three', x > 1)", 1), ("claim('sdr/a', measured=x, holds=bool(True))", 1),
    ("claim('sdr/a', measured=y, holds=x > 1)", 1), ("claim('sdr/a', measured=x, holds=not False)", 1),
    ("claim('sdr/a', measured='a' + 'b', holds=x > 1)", 1),
    ("claim('sdr/a', measured=f'{y}', holds=x > 1)", 1),
    ("y = x + 1\nclaim('sdr/a', measured=y, holds=x > 1)", 0)])
def test_what_is_typed_is_found(call, expected):
    assert len(typed_in(f"x = compute()\ny = 'said'\n{call}")) == expected


@pytest.mark.parametrize("evidence, expected", [
    ("sdr/appendix_a.csv", True), ("sdr/nothing.csv", False), ("sdr/90_paper#zzzzzzzz", False),
    ("sdr/89_nothing#a", False)])
def test_evidence_is_looked_up(evidence, expected):
    assert there_is(evidence) is expected
