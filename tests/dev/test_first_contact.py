"""Tests of nbs/dev/33_first_contact.ipynb, extracted from its test cells: edit them there."""
import io
import pytest
import tempfile
from contextlib import redirect_stderr
from contextlib import redirect_stdout
from reject_nb.core.claims import ROOMS
from reject_nb.dev import first_contact
from unittest import mock

from reject_nb.dev.first_contact import FIRST, FLOOR, POINTS, TWICE, _seconds

def test_a_process_is_measured():
    with tempfile.TemporaryDirectory() as cache:
        idle, busy = _seconds("pass", cache), _seconds("again = sum(i*i for i in range(10**6))", cache)
        assert 0 < idle["cpu"] < busy["cpu"] and idle["again"] is None and busy["again"] == 333332833333500000
        with pytest.raises(RuntimeError, match="ZeroDivisionError"): _seconds("1/0", cache)


def test_every_module_has_an_answer():
    assert set(FIRST) == set(ROOMS)
    for n, code in FIRST.values(): compile(POINTS.format(n=n) + code, "answer", "exec")


def test_what_is_printed_is_what_was_measured():
    "Each kind of process takes other seconds: they end in the columns where they belong."
    seen = []
    def seconds(code, cache):
        new = cache not in seen
        seen.append(cache)
        if code == "pass": return {"cpu": .02}
        if code == FLOOR: return {"cpu": 1.5}
        if code.startswith("import reject_nb"): return {"cpu": .12}
        if code.endswith(TWICE): return {"cpu": 9., "again": .25}
        return {"cpu": 4.5 if new else 1.75}
    with mock.patch.object(first_contact, "_seconds", seconds), redirect_stdout(io.StringIO()) as out:
        assert first_contact.main(["ood", "--times", "3"]) == 0
    head, *_, row, last = out.getvalue().splitlines()
    assert row.split() == ["ood", "0.10", "4.50", "1.75", "0.250", "3.00", "0.25", "2.00"]
    assert head.split()[:5] == ["module", "import", "first", "next", "again"] and last.endswith("takes 1.50")
    with pytest.raises(SystemExit), redirect_stderr(io.StringIO()) as wrong: first_contact.main(["odd"])
    assert "unknown module 'odd': did you mean ood?" in wrong.getvalue()
