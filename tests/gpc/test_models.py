"""Tests of nbs/gpc/82_models.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import os
import pytest
import tempfile
from pathlib import Path
from reject_nb.core.files import out_dir
from reject_nb.gpc.experiments.data import synthetic2d
from reject_nb.gpc.fitting import fit_gpc
from unittest.mock import patch

from reject_nb.gpc.experiments.models import (
    digits_model, main, makers, mnist358_model, shortest_dims, stored_file, trained, training_path,
)

def test_a_missing_model_says_how_to_make_it():
    with pytest.raises(FileNotFoundError,
                       match="experiments.models model-that.*reproduce gpc"):
        stored_file("model-that-is-not-there.npz")


def test_every_stored_model_has_a_maker_and_unknown_names_are_refused():
    there = [p.name for p in (out_dir()/"gpc").glob("*.npz")] if (out_dir()/"gpc").is_dir() else []
    assert set(there) <= set(makers()) and main(["model-nobody.npz"]) == 2 and main([]) == 2


def test_a_full_run_makes_what_is_missing_and_only_that():
    made = []
    def make(path):
        made.append(path)
        path.write_text("model")
    with tempfile.TemporaryDirectory() as folder:
        places = {"read_dirs": lambda: [Path(folder)], "out_dir": lambda: Path(folder),
                  "is_full": lambda: True}
        with patch.dict(stored_file.__globals__, places):
            for _ in range(2): assert stored_file("model-new.npz", make).read_text() == "model"
            assert sorted(os.listdir(Path(folder)/"gpc")) == ["made.json", "model-new.npz"]
    assert len(made) == 1


@pytest.mark.parametrize("inference", ["laplace", "ep"])
def test_one_run_makes_the_same_models_as_several(inference):
    X, y = (a[:60] for a in synthetic2d(1)[:2])
    for n, post in training_path(X, y, inference, (3, 8)).items():
        once = fit_gpc(X, y, inference, n)
        np.testing.assert_allclose(post.lengthscale, once.lengthscale, rtol=1e-6)
        np.testing.assert_allclose(post.variance, once.variance, rtol=1e-6)


def test_stored_models_load_and_know_their_classes():
    for inference, n in (("laplace", 10), ("ep", 100)):
        post, data = trained("synthetic2d", inference, n, 1), synthetic2d(1)
        assert (post.predict(data.X_test) == data.y_test).mean() > .95 and np.array_equal(post.X, data.X)
    post = digits_model()
    order = post.lengthscale[shortest_dims(post, 196)]
    assert (np.diff(order) >= 0).all() and len(shortest_dims(post, 3)) == 3
    assert mnist358_model().classes.tolist() == [0, 1, 2]
