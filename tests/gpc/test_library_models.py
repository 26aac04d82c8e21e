"""Tests of nbs/gpc/85_library_models.ipynb, extracted from its test cells: edit them there."""
import json
import numpy as np
import pytest
from importlib.util import find_spec
from reject_nb.gpc.experiments.library_models import Recorded
from reject_nb.gpc.experiments.library_models import _two_moons
from reject_nb.gpc.experiments.library_models import fitted
from reject_nb.gpc.experiments.library_models import freeze
from reject_nb.gpc.experiments.library_models import recorded
from reject_nb.gpc.experiments.library_models import stored_model
from reject_nb.gpc.experiments.library_models import stored_names
from reject_nb.gpc.experiments.library_models import thaw

HERE = [name for name in ("gpflow", "gpytorch") if find_spec(name)]

def test_a_tree_is_the_object_again():
    inner = recorded("Inner", {"variance": np.array([1., 2.]), "active_dims": slice(1, None), "nu": 2.5})
    arrays = []
    def inv_probit(f): return f
    tree = json.loads(json.dumps(freeze(recorded("Outer", {
        "kernels": [inner, inner], "invlink": inv_probit, "whiten": True, "not asked for": 1}), arrays)))
    back = thaw(tree, arrays)
    assert type(back).__name__ == "Outer" and isinstance(back, Recorded) and back.whiten is True
    assert back.invlink.__name__ == "inv_probit" and not hasattr(back, "not asked for")
    for part in back.kernels:
        assert type(part).__name__ == "Inner" and part.active_dims == slice(1, None) and part.nu == 2.5
        assert part.variance.tolist() == [1., 2.]


@pytest.mark.parametrize("library", ["gpflow", "gpytorch"])
def test_models_answer_where_they_were_asked(library):
    for name in stored_names(library):
        model = stored_model(library, name)
        kernel = model.kernel if library == "gpflow" else model.covar_module
        assert isinstance(kernel, Recorded), name
        ask = model.predict_f if library == "gpflow" else model
        with pytest.raises(ValueError, match="X must be points that were recorded"): ask(np.full((1, 2), 77.))


@pytest.mark.parametrize("library", HERE)
def test_the_models_can_be_fitted(library):
    assert list(fitted(library)) == stored_names(library)


def test_two_moons_are_half_circles_with_noise():
    "Class 0 above about the origin, class 1 below about (1, .5), radius 1; noise of deviation .25."
    X, y = _two_moons(4000, 3)
    assert y.tolist() == [0., 1.]*2000 and X.shape == (4000, 2)
    for c, centre, up in ((0, [0., 0.], 1), (1, [1., .5], -1)):
        off = X[y == c] - centre
        assert abs(np.mean(np.square(off).sum(1)) - (1 + 2*.25**2)) < .06
        assert abs(off[:, 0].mean()) < .06 and abs(up*off[:, 1].mean() - 2/np.pi) < .04
