"""Tests of nbs/data/08_images.ipynb, extracted from its test cells: edit them there."""

from reject_nb.data.images import IMAGES

def test_names_are_there_once_and_files_can_be_verified():
    "By a checksum, or by the counts and arrays of what they hold."
    names = [name for e in IMAGES for name in (e.name, *e.aliases)]
    assert len(set(names)) == len(names)
    for e in IMAGES:
        assert e.rows > 0 and e.licence and e.source.startswith("http") and e.papers
        for file in [f for v in e.variants for f in v.files]:
            assert file.sha256 or file.md5 or file.urls, (e.name, file.name)
            assert len(file.sha256) in (0, 64) and len(file.md5) in (0, 32)
