"""Importers with the libraries themselves, where these are installed, and what records models of theirs."""
import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest

from reject_nb.gpc.advanced.importers import posterior_from_gpflow, posterior_from_gpytorch, value_of
from reject_nb.gpc.experiments.library_models import Recorded, recorded, stored_names, thaw

_spec = importlib.util.spec_from_file_location("record_models", Path(__file__).with_name("record_models.py"))
models = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(models)

HERE = [name for name in ("gpflow", "gpytorch") if importlib.util.find_spec(name)]


def test_a_tree_is_the_object_again():
    inner = recorded("Inner", {"variance": np.array([1., 2.]), "active_dims": slice(1, None), "nu": 2.5})
    arrays = []
    def inv_probit(f): return f
    tree = json.loads(json.dumps(models.freeze(recorded("Outer", {
        "kernels": [inner, inner], "invlink": inv_probit, "whiten": True, "not asked for": 1}), arrays)))
    back = thaw(tree, arrays)
    assert type(back).__name__ == "Outer" and isinstance(back, Recorded) and back.whiten is True
    assert back.invlink.__name__ == "inv_probit" and not hasattr(back, "not asked for")
    for part in back.kernels:
        assert type(part).__name__ == "Inner" and part.active_dims == slice(1, None) and part.nu == 2.5
        assert part.variance.tolist() == [1., 2.]


@pytest.mark.parametrize("library", HERE)
def test_with_the_library_itself(library):
    fitted = models.fitted(library, seed=1)
    assert list(fitted) == stored_names(library)
    for name, model in fitted.items():
        P = np.random.default_rng(2).normal(size=(300, 2))
        if library == "gpflow": post, mean = posterior_from_gpflow(model), value_of(model.predict_f(P)[0])[:, 0]
        else:
            post = posterior_from_gpytorch(model, model.own_likelihood)
            mean = value_of(model(models.model_points(model).detach().new_tensor(P)).mean)
        np.testing.assert_allclose(post.latent(P)[0], mean, atol=1e-5, err_msg=name)


@pytest.mark.parametrize("library", [name for name in HERE if name == "gpytorch"])
def test_single_precision_is_refused_with_a_remedy(library):
    model = models.fitted(library, seed=1)["values"].float()
    with pytest.raises(ValueError, match="single precision"):
        posterior_from_gpytorch(model, model.own_likelihood.float())
