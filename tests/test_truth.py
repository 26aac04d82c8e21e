"""The papers are told truly: verdicts computed, items covered, causes with evidence, figures with captions, stored files with their origin."""
import pytest

from reject_nb.dev.truth import TRUTH


@pytest.mark.parametrize("check", list(TRUTH))
def test_the_papers_are_told_truly(check):
    assert TRUTH[check]() == []
