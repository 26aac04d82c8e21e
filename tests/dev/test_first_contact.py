"""Tests of nbs/dev/33_first_contact.ipynb, extracted from its test cells: edit them there."""
import pytest
import tempfile
from reject_nb.core.claims import ROOMS

from reject_nb.dev.first_contact import FIRST, POINTS, _seconds

def test_a_process_is_measured():
    with tempfile.TemporaryDirectory() as cache:
        idle, busy = _seconds("pass", cache), _seconds("again = sum(i*i for i in range(10**6))", cache)
        assert 0 < idle["cpu"] < busy["cpu"] and idle["again"] is None and busy["again"] == 333332833333500000
        with pytest.raises(RuntimeError, match="ZeroDivisionError"): _seconds("1/0", cache)


def test_every_module_has_an_answer():
    assert set(FIRST) == set(ROOMS)
    for n, code in FIRST.values(): compile(POINTS.format(n=n) + code, "answer", "exec")
