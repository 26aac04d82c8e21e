"""Tests of nbs/strategies/82_landmarks.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
import sys
import tempfile
from pathlib import Path
from reject_nb.strategies.curves import aurc
from unittest.mock import patch

from reject_nb.strategies.experiments.landmarks import (
    CascadeDetector, DlibDetector, LINES, _differences, _places, dlib_face_score, drawn_faces, hog_along,
    landmark_experiment, landmark_loss, read_pts, real_faces, template,
)

def test_landmark_loss():
    y = np.tile(template(), (3, 1, 1))
    assert (landmark_loss(y, y) == 0).all()
    np.testing.assert_allclose(landmark_loss(y, y + [.06, .08]), 100*.1/np.linalg.norm(y[0, 36] - y[0, 45]),
                               rtol=1e-12)
    np.testing.assert_allclose(landmark_loss(5*y, 5*y + .5), landmark_loss(y, y + .1), rtol=1e-12)
    with pytest.raises(ValueError, match="68"): landmark_loss(y[:, :5], y[:, :5])
    with pytest.raises(ValueError, match="eye"): landmark_loss(0*y, y)
    with pytest.raises(ValueError, match="found must be"): landmark_loss(y, y*np.nan)


def test_hog_of_known_edges():
    from skimage.feature import hog
    # one vertical edge: the gradient is along the row
    image = np.tile(np.arange(40) >= 20, (40, 1)).astype(float)
    for picture, bins in ((image, {0}), (image.T, {4, 5})):              # a quarter turn is 4.5 bins
        h = hog_along(picture[None], np.full((1, 68, 2), 20.), 8).reshape(68, 4, 9)
        assert set(h.argmax(2).ravel()) <= bins and np.allclose((h**2).sum((1, 2)), 1, atol=1e-6)
    face, marks = np.random.default_rng(0).random((1, 60, 50)), np.random.default_rng(1).uniform(10, 40,
        (1, 68, 2))
    x, y = np.rint(marks[0, 7]).astype(int)
    np.testing.assert_allclose(hog_along(face, marks, 5)[0, 7*36:8*36],
                               hog(face[0, y-5:y+5, x-5:x+5], 9, (5, 5), (2, 2)), rtol=1e-6)
    for far in (-5., 1e6): assert np.isfinite(hog_along(image[None], np.full((1, 68, 2), far), 8)).all()
    with pytest.raises(ValueError, match="68, 2"): hog_along(image[None], np.zeros((1, 5, 2)))
    with pytest.raises(ValueError, match="images must"): hog_along(image, np.zeros((1, 68, 2)))


def test_missing_packages_are_named():
    y = np.tile(template(), (2, 1, 1))
    with patch.dict(sys.modules, {"skimage.feature": None, "dlib": None}):
        with pytest.raises(ImportError, match="reject_nb.images"): hog_along(np.zeros((2, 9, 9)), y)
        with pytest.raises(ImportError, match="dlib"): DlibDetector().fit(np.zeros((2, 9, 9)), y)
        with pytest.raises(ImportError, match="dlib"): dlib_face_score(np.zeros((2, 9, 9)))


def test_detector_beats_the_mean_shape_and_scores_sort_its_errors():
    images, marks = drawn_faces(500, np.random.default_rng(2), 60)
    out = landmark_experiment(images, marks, detector=CascadeDetector(stages=3, trees=8, pairs=100, starts=2),
                              shares=(1.,))
    assert out["losses"].mean() < .8*out["losses of the mean shape"].mean()
    assert aurc(out["losses"], out["scores"]["SELE"]) < out["losses"].mean()


def test_a_300w_folder_is_read():
    from PIL import Image
    rng = np.random.default_rng(3)
    points = template()*60 + 150
    with tempfile.TemporaryDirectory() as folder:
        Image.fromarray(rng.integers(0, 255, (300, 320, 3)).astype(np.uint8)).save(Path(folder)/"a.png")
        text = "version: 1\nn_points: 68\n{\n" + "\n".join(f"{x + 1:.6f} {y + 1:.6f}" for x,
                                                           y in points) + "\n}\n"
        (Path(folder)/"a.pts").write_text(text)
        images, marks = real_faces(folder)
        assert images.shape == (1, 160, 160) and marks.shape == (1, 68, 2) and np.ptp(marks[0],
            axis=0).max() == pytest.approx(160/1.5, rel=1e-6)
        (Path(folder)/"b.pts").write_text("1 2\n")
        with pytest.raises(ValueError, match="68 are needed"): read_pts(Path(folder)/"b.pts")
    with tempfile.TemporaryDirectory() as folder:
        with pytest.raises(ValueError, match="no .pts"): real_faces(folder)


def test_what_the_experiment_holds():
    images, marks = drawn_faces(80, 7, 40)
    options = dict(detector=CascadeDetector(stages=1, trees=2, pairs=20, starts=1), shares=(.5, 1.))
    out = landmark_experiment(images, marks, face_score=np.arange(80.), **options)
    assert len(out["losses"]) in (16, 17) and out["curve"]["n"] in ([13, 27]*2, [14, 28]*2)
    assert out["curve"]["method"] == ["SELE"]*2 + ["REG"]*2
    assert out["curve"]["AuRC"][1] == aurc(out["losses"], out["scores"]["SELE"])
    assert set(-out["scores"]["face score"]) <= set(np.arange(80.))
    np.testing.assert_allclose(landmark_loss(out["landmarks"], out["found"]), out["losses"])
    with pytest.raises(ValueError, match="face_score must"):
        landmark_experiment(images, marks, face_score="x", **options)


def test_the_template_is_a_face():
    face = template()
    jaw, brows, eyes, mouth = face[:17], face[17:27], face[36:48], face[48:]
    # y points down
    np.testing.assert_allclose(face[[0, 8, 16]], [[-.9, -.1], [0, .95], [.9, -.1]], atol=1e-12)
    np.testing.assert_allclose(face[[36, 39, 42, 45]], [[-.6, -.25], [-.24, -.25], [.24, -.25], [.6, -.25]],
                               atol=1e-12)
    # left and right
    np.testing.assert_allclose(np.sort(-eyes[:6, 0]), np.sort(eyes[6:, 0]), atol=1e-12)
    assert brows[:, 1].max() <= -.45 < eyes[:, 1].min() and eyes[:, 1].max() < mouth[:, 1].min() < mouth[:,
        1].max() < jaw[8, 1]
    assert len({tuple(p) for p in face.round(9)}) >= 66 and sorted({i for line in LINES
        for i in line}) == list(range(68))


def test_pixel_pairs_close_in_on_the_landmarks():
    detector, rng = CascadeDetector(stages=4, pairs=4000), np.random.default_rng(0)
    detector.mean_ = np.linspace(0, 80, 136)
    widths = [_places(detector, k, rng)[1].std() for k in range(4)]
    # 16,000 draws: 1% a standard error
    np.testing.assert_allclose(widths, [.125*80*(1 - .8*k/4) for k in range(4)], rtol=.03)
    image = np.arange(12.).reshape(1, 3, 4)
    marks = np.zeros((1, 136))
    # (column, row); the second is outside
    places = np.array([[0], [0]]), np.array([[[1.2, 0.]], [[0., 7.]]])
    np.testing.assert_array_equal(_differences(image, np.array([0]), marks, places), [[1. - 8.]])


def test_drawn_faces_are_the_template_moved():
    images, marks = drawn_faces(40, 3)
    assert images.shape == (40, 80, 80) and template().shape == (68, 2) and np.abs(template()).max() <= 1
    middle, flat = marks.mean(0), template()
    # the mean face is the template, scaled
    fit = np.linalg.lstsq(np.column_stack([flat, np.ones(68)]), middle, rcond=None)[0]
    # of 80 pixels; mouths are open
    assert np.abs(np.column_stack([flat, np.ones(68)]) @ fit - middle).max() < 3.5
    np.testing.assert_array_equal(images, drawn_faces(40, np.random.default_rng(3))[0])
    with pytest.raises(ValueError, match="size must"): drawn_faces(2, 0, 20)


@pytest.mark.slow
def test_dlib_detector_where_it_is_installed():
    pytest.importorskip("dlib")
    images, marks = drawn_faces(120, np.random.default_rng(4))
    detector = DlibDetector(trees=30, stages=5, starts=5).fit(images[:80], marks[:80])
    found = detector.predict(images[80:])
    assert found.shape == (40, 68, 2)
    assert landmark_loss(marks[80:], found).mean() < .8*landmark_loss(marks[80:],
        np.tile(marks[:80].mean(0), (40, 1, 1))).mean()
    with tempfile.TemporaryDirectory() as folder:
        detector.predictor_.save(str(Path(folder)/"trained.dat"))
        again = DlibDetector(str(Path(folder)/"trained.dat")).fit(images[:80], marks[:80])
    np.testing.assert_array_equal(again.predict(images[80:83]), found[:3])
    assert dlib_face_score(images[:3]).shape == (3,)
