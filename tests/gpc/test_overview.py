"""Tests of nbs/gpc/00_overview.ipynb, extracted from its test cells: edit them there."""

def test_public_names():
    import reject_nb.gpc as room
    for name in ("GPPosterior", "fit_gpc", "classification_range", "is_safe", "robustness", "minimal_perturbation", "interpretability", "gpfgs", "MulticlassPosterior", "fit_multiclass_gpc"):
        assert callable(getattr(room, name)), name
