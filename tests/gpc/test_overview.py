"""Tests of nbs/gpc/00_overview.ipynb, extracted from its test cells: edit them there."""
import reject_nb.gpc

def test_every_public_name_can_be_loaded():
    for name in reject_nb.gpc.__all__: assert callable(getattr(reject_nb.gpc, name)), name
    assert set(reject_nb.gpc.__all__) <= set(dir(reject_nb.gpc))
    assert "classification_range" in reject_nb.gpc.__all__
