"""Tests of nbs/dev/32_lowest.ipynb, extracted from its test cells: edit them there."""
import pytest
import tomllib
from reject_nb.core.files import project_root

from reject_nb.dev.lowest import bounds, parts

def test_every_requirement_has_a_bound():
    project = tomllib.loads((project_root()/"pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert len(bounds(project)) == len(project["dependencies"]) > 5


@pytest.mark.parametrize("requirement", ["numpy", "numpy==2.0", "numpy<3", "numpy>2"])
def test_other_forms_are_refused(requirement):
    with pytest.raises(ValueError, match="must have the form"): bounds({"dependencies": [requirement]})


def test_every_module_is_tried():
    found = parts(project_root())
    assert {"tests/core", "tests/data", "tests/gpc", "tests/ood"} <= set(found) and "tests/dev" not in found
