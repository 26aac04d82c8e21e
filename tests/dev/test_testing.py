"""Tests of nbs/dev/01_testing.ipynb, extracted from its test cells: edit them there."""
import pytest

from reject_nb.dev.testing import cases, run_tests

@pytest.mark.parametrize("a", [1, 2])
@pytest.mark.parametrize("b, c", [(3, 4), pytest.param(5, 6, id="five")])
def _collected(a, b, c, seen): seen.append((a, b, c))


def test_cases_multiply():

    assert len(cases(_collected)) == 4 and {c["b"] for c in cases(_collected)} == {3, 5}


def test_a_failing_case_is_named():
    @pytest.mark.parametrize("n", [1, 2])
    def odd(n): assert n % 2
    with pytest.raises(AssertionError) as caught: run_tests(odd)
    assert caught.value.__notes__ == ["in odd(n=2)"]
