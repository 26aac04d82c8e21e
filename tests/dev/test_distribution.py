"""Tests of nbs/dev/31_distribution.ipynb, extracted from its test cells: edit them there."""
import io
import pytest
import tarfile
import tempfile
import zipfile
from pathlib import Path
from reject_nb.core.files import project_root

from reject_nb.dev.distribution import MUST, SDIST_MUST, readme_example, wrong_with

def _wheel(folder, *names):
    path = Path(folder)/"reject_nb-1-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as z:
        for name in names: z.writestr(name, "")
    return path


def _sdist(folder, *names):
    path = Path(folder)/"reject_nb-1.tar.gz"
    with tarfile.open(path, "w:gz") as t:
        for name in names: t.addfile(tarfile.TarInfo(f"reject_nb-1/{name}"), io.BytesIO())
    return path


@pytest.mark.parametrize("names, wrong", [
    (MUST, []), (MUST[1:], [f"lacks {MUST[0]}"]), ((*MUST, "reject_nb/dev/build.py"),
                                                   ["holds reject_nb/dev/build.py"]),
    ((*MUST, "tests/test_cli.py"), ["holds tests/test_cli.py"])])
def test_wheels_hold_the_package_and_no_more(names, wrong):
    with tempfile.TemporaryDirectory() as folder:
        assert wrong_with(_wheel(folder, *names)) == [f"reject_nb-1-py3-none-any.whl {w}" for w in wrong]


def test_an_sdist_needs_more():
    with tempfile.TemporaryDirectory() as folder:
        assert wrong_with(_sdist(folder, *SDIST_MUST)) == []
        assert wrong_with(_sdist(folder, *MUST))[0] == "reject_nb-1.tar.gz lacks LICENSE"


def test_the_readme_has_an_example_with_its_output():
    code, printed = readme_example((project_root()/"README.md").read_text(encoding="utf-8"))
    assert "import" in code and printed.strip()
    with pytest.raises(ValueError, match="no Python block"): readme_example("text")
