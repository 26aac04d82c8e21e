"""Tests of nbs/data/04_sets.ipynb, extracted from its test cells: edit them there."""
import pytest

from reject_nb.data.sets import REGISTRY

def test_counts_agree_with_table_2():
    told = [e for e in REGISTRY.values() if e.table2]
    assert len(told) == 22 and sum(e.task == "classification" for e in told) == 11
    for e in told: assert (e.rows, e.columns, e.classes) == e.table2, e.name


def test_entries_can_not_be_changed():
    with pytest.raises(AttributeError): REGISTRY["iris"].rows = 1
