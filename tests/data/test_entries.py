"""Tests of nbs/data/04_entries.ipynb, extracted from its test cells: edit them there."""
import pytest

from reject_nb.data.entries import Entry, File, one, page, uci

def test_entries_cannot_be_changed():
    with pytest.raises(AttributeError): File("a").name = "b"
    with pytest.raises(AttributeError): one(File("a"), read=len).note = "x"


def test_an_archive_of_uci_is_named_after_its_address():
    found = uci(81, "pen+based+digits", sha256="0"*64, split="test")
    assert found.name == "pen_based_digits.zip" and found.sha256 == "0"*64 and found.split == "test"
    assert found.urls == ("https://archive.ics.uci.edu/static/public/81/pen+based+digits.zip",)
    assert page(81).endswith("/dataset/81")


def test_a_variant_keeps_the_order_of_its_files():
    found = one(File("b"), File("a"), read=len, rows=-1, note="n")
    assert [f.name for f in found.files] == ["b", "a"] and (found.rows, found.note) == (-1, "n")


def test_an_entry_in_a_line():
    entry = Entry(name="toy", title="T", task="images", rows=12, columns=345, classes=6, licence="",
                  source="", papers=("gpc", "ood"))
    assert str(entry).split() == ["toy", "images", "12", "x", "345", "6", "classes", "gpc,", "ood"]
