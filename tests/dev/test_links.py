"""Tests of nbs/dev/05_links.ipynb, extracted from its test cells: edit them there."""
import pytest
import tempfile
import zlib
from pathlib import Path

from reject_nb.dev.links import (
    Page, broken_in_markdown, broken_links, missing_names, names_in_inventory, read_page, wrong_address,
)

PAGE = """<title>The page</title><svg><title>a symbol</title></svg><h1 id=top>x</h1><a name=old></a>
<a href="b.html">b</a><img src="a.png" alt=" "><script src="s.js"></script>"""

def _site(folder, **pages):
    for name, text in pages.items(): (Path(folder)/f"{name}.html").write_text(f"<title>{name}</title>{text}")
    return Path(folder)


def _inventory(folder, text):
    path = Path(folder)/"objects.inv"
    path.write_bytes(b"# one\n# two\n# three\n# compressed using zlib.\n" + zlib.compress(text.encode()))
    return path


def test_a_page_is_read():
    page = read_page(PAGE)
    assert page == Page("The page", {"top", "old"}, ["b.html", "s.js"], [("a.png", "")])


@pytest.mark.parametrize("text, wrong", [
    ('<a href="b.html">', ""), ('<a href="b.html#here">', ""), ('<a href="#">', ""),
    ('<a href="b.html?q=1">', ""), ('<a href="#here">', "names no place"),
    ('<a href="b.html#there">', "names no place"), ('<a href="c.html">', "leads nowhere"),
    ('<img src="c.png" alt="x">', "leads nowhere"), ('<img src="data:image/png;base64,AA" alt="x">', ""),
    ('<img src="data:image/png;base64,AA">', "no words"), ('<link href="none.css">', "leads nowhere"),
    ('<a href="https://x.org/%20">', ""), ('<a href="https:x.org">', "no host"),
    ('<a href="javascript:x()">', "scheme")])
def test_a_broken_link_is_found(text, wrong):
    with tempfile.TemporaryDirectory() as folder:
        found = broken_links(_site(folder, a=text, b='<p id="here">'))
        assert len(found) == bool(wrong)
        assert all(wrong in line and line.startswith("a.html: ") for line in found)


def test_twin_titles_are_found():
    with tempfile.TemporaryDirectory() as folder:
        _site(folder, a="", b="")
        (Path(folder)/"c.html").write_text("<title>a</title>")
        assert broken_links(Path(folder)) == ["2 pages have the title 'a'"]


@pytest.mark.parametrize("address, fine", [
    ("https://arxiv.org/abs/1905.11876", True), ("mailto:a@b.org", True), ("mailto:nobody", False),
    ("http://x.org:80/", True),
    ("https://x y.org", False), ("https:///path", False), ("file:///etc", False), ("https://nodots/", False)])
def test_addresses_of_the_world(address, fine): assert (wrong_address(address) == "") == fine


def test_links_of_a_readme():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)/"README.md"
        path.write_text("[a](README.md) [b](none.md)\n```\n[c](no.md)\n```\n`[d](no.md)` [e](https://x.org)")
        assert broken_in_markdown(path) == ["README.md: none.md leads nowhere"]


def test_an_inventory_is_read():
    with tempfile.TemporaryDirectory() as folder:
        path = _inventory(folder, "m.f py:function 1 page.html#$ -\nword std:label 1 x.html y\n")
        assert names_in_inventory(path) == {"m.f"}
        assert missing_names(["m.f", "m.g", "word"], path) == ["the index lacks m.g", "the index lacks word"]
        path.write_text("nothing")
        with pytest.raises(ValueError, match="no inventory"): names_in_inventory(path)
