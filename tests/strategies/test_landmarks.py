"""Tests of nbs/strategies/10_landmarks.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
import tempfile
from pathlib import Path
from reject_nb.strategies.curves import aurc

from reject_nb.strategies.landmarks import (CascadeDetector, drawn_faces, hog_along, landmark_experiment, landmark_loss, read_pts, real_faces, template)

def test_landmark_loss():
    y = np.tile(template(), (3, 1, 1))
    assert (landmark_loss(y, y) == 0).all()
    np.testing.assert_allclose(landmark_loss(y, y + [.06, .08]), 100*.1/np.linalg.norm(y[0, 36] - y[0, 45]), rtol=1e-12)
    np.testing.assert_allclose(landmark_loss(5*y, 5*y + .5), landmark_loss(y, y + .1), rtol=1e-12)
    with pytest.raises(ValueError, match="68"): landmark_loss(y[:, :5], y[:, :5])
    with pytest.raises(ValueError, match="eye"): landmark_loss(0*y, y)


def test_hog_of_known_edges():
    image = np.tile(np.arange(40) >= 20, (40, 1)).astype(float)          # one vertical edge: gradient along x, orientation bin 0
    h = hog_along(image[None], np.full((1, 68, 2), 20.), 8).reshape(68, 4, 9)
    assert (h.argmax(2) == 0).all() and np.allclose((h**2).sum((1, 2)), 1, atol=1e-3)
    t = hog_along(image.T[None], np.full((1, 68, 2), 20.), 8).reshape(68, 4, 9)
    assert set(t.argmax(2).ravel()) <= {4, 5}                            # a quarter turn is 4.5 bins
    assert hog_along(image[None], np.full((1, 68, 2), -5.), 8).shape == (1, 2448)


def test_detector_beats_the_mean_shape_and_scores_sort_its_errors():
    images, marks = drawn_faces(500, np.random.default_rng(2), 60)
    out = landmark_experiment(images, marks, detector=CascadeDetector(stages=3, trees=8, pairs=100, starts=2), shares=(1.,))
    assert out["losses"].mean() < .8*out["losses of the mean shape"].mean()
    assert aurc(out["losses"], out["scores"]["SELE"]) < out["losses"].mean()


def test_a_300w_folder_is_read():
    from PIL import Image
    rng = np.random.default_rng(3)
    points = template()*60 + 150
    with tempfile.TemporaryDirectory() as folder:
        Image.fromarray(rng.integers(0, 255, (300, 320, 3)).astype(np.uint8)).save(Path(folder)/"a.png")
        text = "version: 1\nn_points: 68\n{\n" + "\n".join(f"{x + 1:.6f} {y + 1:.6f}" for x, y in points) + "\n}\n"
        (Path(folder)/"a.pts").write_text(text)
        images, marks = real_faces(folder)
        assert images.shape == (1, 160, 160) and marks.shape == (1, 68, 2) and np.ptp(marks[0], axis=0).max() == pytest.approx(160/1.5, rel=1e-6)
        (Path(folder)/"b.pts").write_text("1 2\n")
        with pytest.raises(ValueError, match="68 are needed"): read_pts(Path(folder)/"b.pts")
    with tempfile.TemporaryDirectory() as folder:
        with pytest.raises(ValueError, match="no .pts"): real_faces(folder)
