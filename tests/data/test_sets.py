"""Tests of nbs/data/09_sets.ipynb, extracted from its test cells: edit them there."""
import pytest

from reject_nb.data.sets import CONTENT, REGISTRY

def test_counts_agree_with_table_2():
    told = [e for e in REGISTRY.values() if e.table2]
    assert len(told) == 22 and sum(e.task == "classification" for e in told) == 11
    for e in told: assert (e.rows, e.columns, e.classes) == e.table2, e.name


def test_entries_can_not_be_changed():
    with pytest.raises(AttributeError): REGISTRY["iris"].rows = 1


def test_every_set_is_there_once():
    "No name or alias leads to two sets, and every fingerprint belongs to one."
    names = [name for e in REGISTRY.values() for name in (e.name, *e.aliases)]
    assert len(set(names)) == len(names) and len(REGISTRY) == 49
    assert set(CONTENT) <= set(REGISTRY) and all(len(c) == 64 for c in CONTENT.values())
    assert REGISTRY["letter"].content == CONTENT["letter"] and REGISTRY["iris"].content == ""
