"""Tests of nbs/strategies/82_landmarks.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
import sys
import tempfile
from pathlib import Path
from reject_nb.strategies.curves import aurc
from reject_nb.strategies.experiments import landmarks as landmarks_module
from reject_nb.strategies.experiments.landmarks import _SCORES
from reject_nb.strategies.experiments.landmarks import _arc
from reject_nb.strategies.experiments.landmarks import _bytes
from reject_nb.strategies.experiments.landmarks import _clearness
from reject_nb.strategies.experiments.landmarks import _deformed
from reject_nb.strategies.experiments.landmarks import _drawn
from reject_nb.strategies.experiments.landmarks import _forest
from reject_nb.strategies.experiments.landmarks import _learning_curve
from reject_nb.strategies.experiments.landmarks import crop_face
from reject_nb.strategies.experiments.landmarks import linear_face_score
from reject_nb.strategies.scores import RegressionScore
from reject_nb.strategies.scores import SeleScore
from scipy.ndimage import gaussian_filter
from sklearn.svm import LinearSVC
from types import SimpleNamespace
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
        text = "version: 1\nn_points: 68\n{\n" + "\n".join(f"{x + 1:.6f} {y + 1:.6f}"
                                                           for x, y in points) + "\n}\n"
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


class _Script:
    "Draws that are known: normal deviates z standard deviations above the mean, uniform ones all u."
    def __init__(self, z=1., u=.5, whole=3): self.z, self.u, self.whole, self.asked = z, u, whole, []
    def normal(self, mean, sd, size=None):
        self.asked.append((mean, sd, size))
        return mean + self.z*sd*(np.ones(size) if size is not None else 1.)
    def random(self): return self.u
    def integers(self, low, high=None):
        self.asked.append((low, high))
        return self.whole


def test_a_deformed_face_by_hand():
    base, size = template(), 50
    for z, u in ((1., .5), (-.7, .2)):
        turn, stretch = .15*z, 1 + .08*z
        want = base*stretch
        want[48:, 1] *= 1 + u/2
        want += .05*z*np.abs(base) + .012*z
        x = want[:, 0]*np.cos(turn) - want[:, 1]*np.sin(turn)
        y = want[:, 0]*np.sin(turn) + want[:, 1]*np.cos(turn)
        want = (np.column_stack([x, y])*.33 + .5 + .03*z)*size
        np.testing.assert_allclose(_deformed(base, _Script(z, u), size), want, rtol=1e-12)
    rng = _Script()
    _deformed(base, rng, size)
    assert [size for *_, size in rng.asked] == [None, 2, 2, (68, 2), 2] # each axis has draws of its own


def _strokes(marks, size):
    image = np.zeros((size, size))
    for line in LINES:
        places = list(line)
        for a, b in zip(places, places[1:]):
            for k in range(12):
                x, y = np.round(marks[a]*(1 - k/11) + marks[b]*(k/11)).astype(int).clip(0, size - 1)
                image[y, x] = 1
    return image


@pytest.mark.parametrize("u", [.2, .9, .1])
def test_a_drawn_face_by_hand(u):
    size = 30
    marks = template()*14 + 15.3 # some points fall outside and are drawn at the border
    rng, hard = _Script(1., u, 4), u*u
    want = gaussian_filter(_strokes(marks, size), .7 + 2.5*hard*u)*(1 - .8*hard*u)
    if u < .4*hard: want[4:24] = .3*u
    want = want + .02 + .15*hard*u
    np.testing.assert_allclose(_drawn(marks, rng, size), want, atol=1e-12)


def test_an_occluding_bar():
    class _Barred(_Script):
        "The first draw is hard, the second is the blur, the third contrast, the fourth asks for the bar."
        def random(self):
            self.u = next(self.draws)
            return self.u
    rng = _Barred(0., whole=7)
    rng.draws = iter([1., 0., 0., .39, .5, 0.])
    image = _drawn(template()*14 + 15.3, rng, 30)
    assert (image[7:27] == .15).all() and image[:7].max() > .2 and (0, 10) in rng.asked
    rng = _Barred(0., whole=7)
    rng.draws = iter([1., 0., 0., .41, .5]) # four times in ten at most
    assert not (_drawn(template()*14 + 15.3, rng, 30)[7:27] == .15).any()


def test_a_crop_by_hand():
    from PIL import Image
    grey = np.add.outer(np.arange(200), 2*np.arange(300)) % 251
    points = np.column_stack([np.linspace(100, 180, 68), np.linspace(60, 100, 68)])
    crop, marks = crop_face(Image.fromarray(grey.astype(np.uint8)).convert("RGB"), points, 120)
    # 80 pixels wide: a square of 120 around (140, 80), pixel for pixel
    np.testing.assert_allclose(marks, points - [80, 20], atol=1e-12)
    np.testing.assert_allclose(crop, grey[20:140, 80:200]/255, atol=1e-12)
    half = crop_face(Image.fromarray(grey.astype(np.uint8)).convert("RGB"), points, 60)[1]
    np.testing.assert_allclose(half, (points - [80, 20])/2, atol=1e-12)


def test_points_of_a_file():
    rows = [f"{k} {1e3 + k:.3e}" for k in range(1, 68)] + ["-2.5 +3.5"]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)/"a.pts"
        path.write_text("version: 1\nn_points: 68\n{\n" + "\n".join(rows) + "\nx y\n1 2 3\n}\n")
        points = read_pts(path)
        assert points.shape == (68, 2) and points[[0, -1]].tolist() == [[0, 1000], [-3.5, 2.5]]
        path.write_text("\n".join(rows[:-1]))
        with pytest.raises(ValueError, match="a.pts holds 67 points, 68 are needed"): read_pts(path)


def test_a_face_in_two_formats_is_read_once():
    from PIL import Image
    rows = "\n".join(f"{x:.6f} {y:.6f}" for x, y in template()*20 + 31)
    with tempfile.TemporaryDirectory() as folder:
        for name, level in (("a.png", 100), ("a.jpg", 200), ("b.jpg", 50)):
            Image.fromarray(np.full((60, 60), level, np.uint8)).save(Path(folder)/name)
        for name in ("a.pts", "b.pts", "alone.pts"): (Path(folder)/name).write_text(rows)
        images, marks = real_faces(folder)
    assert images.shape == (2, 160, 160) and marks.shape == (2, 68, 2)
    np.testing.assert_allclose(images[:, 80, 80], [100/255, 50/255], atol=.01) # .png comes first


def test_the_registered_faces_are_grey():
    colours = np.array([[[[100, 0, 0], [0, 100, 0], [0, 0, 100], [255, 255, 255]]]])
    marks = np.ones((1, 68, 2), int)
    faces = {"faces68": SimpleNamespace(X=colours, y=marks)}
    with patch.object(landmarks_module, "load", faces.__getitem__):
        images, y = real_faces()
    np.testing.assert_allclose(images, np.array([[[29.9, 58.7, 11.4, 255]]])/255)
    assert y.dtype == float and (y == 1).all()


def test_bytes_for_dlib():
    image = np.array([[-.1, 0., .5], [.2, 1., 1.2]])
    assert _bytes(image).tolist() == [[0, 0, 128], [51, 255, 255]] and _bytes(image).dtype == np.uint8
    large = _bytes(np.array([[0., 1.], [0., 1.]]), 2)
    assert large.shape == (4, 4) and large[0].tolist() == [0, 85, 170, 255] # linear, corners stay


class _Dlib(SimpleNamespace):
    "dlib as far as the detector uses it; what it is asked for is kept."
    @staticmethod
    def point(x, y): return (x, y)
    @staticmethod
    def rectangle(*box): return box
    @staticmethod
    def full_object_detection(box, parts): return (box, parts)
    @staticmethod
    def shape_predictor_training_options(): return SimpleNamespace()
    def train_shape_predictor(self, pixels, shapes, options):
        self.trained = pixels, shapes, options
        return lambda pixels, box: SimpleNamespace(parts=lambda: [SimpleNamespace(x=float(k), y=2.*k)
                                                                  for k in range(68)])
    def shape_predictor(self, path): return ("read", path)
    def get_frontal_face_detector(self):
        def run(pixels, times, least):
            self.scored = times, least
            return None, ([.5, 1.5] if pixels.max() > 0 else []), None
        return SimpleNamespace(run=run)


def test_what_dlib_is_asked_for():
    dlib = _Dlib()
    images, marks = np.zeros((2, 11, 21)), np.stack([template()*4 + [10, 5], template()*4 + [12, 5]])
    with patch.dict(sys.modules, {"dlib": dlib}):
        detector = DlibDetector(trees=7, depth=3, stages=5, starts=2, zoom=2).fit(images, marks, 9)
        found = detector.predict(images)
        read = DlibDetector("trained.dat").fit(images, marks)
        scores = dlib_face_score(np.stack([np.zeros((3, 3)), np.ones((3, 3))]))
    # width 21, height 11, twice as large: corners at 20 and 10 come to lie at 41 and 21
    np.testing.assert_allclose(detector.scale_, [41/20, 21/10])
    mean = marks.mean(0)*[41/20, 21/10]
    assert detector.box_ == [round(v) for v in (*mean.min(0), *mean.max(0))]
    pixels, shapes, options = dlib.trained
    assert vars(options) == dict(num_trees_per_cascade_level=7, tree_depth=3, cascade_depth=5,
                                 oversampling_amount=2, random_seed="9", num_threads=1, be_verbose=False)
    assert [p.shape for p in pixels] == [(22, 42)]*2 and len(shapes) == 2
    for shape, points in zip(shapes, marks):
        assert shape == [(tuple(detector.box_), [tuple(p) for p in (points*[2.05, 2.1]).round().astype(int)])]
    np.testing.assert_allclose(found, np.stack([np.outer(np.arange(68.), [1., 2.])/[2.05, 2.1]]*2))
    assert read.predictor_ == ("read", "trained.dat")
    assert scores.tolist() == [-2, 1.5] and dlib.scored == (0, -2.)


def test_the_cascade_step_by_step():
    images, marks = drawn_faces(40, 5, 40)
    detector = CascadeDetector(stages=2, trees=3, pairs=30, components=4, starts=3).fit(images, marks, 8)
    flat = marks.reshape(40, 136)
    np.testing.assert_allclose(detector.mean_, flat.mean(0))
    np.testing.assert_allclose(detector.basis_ @ detector.basis_.T, np.eye(4), atol=1e-10)
    values, vectors = np.linalg.eigh(np.cov(flat.T))
    np.testing.assert_allclose(np.abs(detector.basis_ @ vectors[:, -1:-5:-1]), np.eye(4), atol=1e-6)
    assert len(detector.stages_) == 2 and [len(f.estimators_) for _, f in detector.stages_] == [3, 3]
    # predictions: the mean shape plus what each stage adds, on images blurred by one pixel
    blurred = np.stack([gaussian_filter(image.astype(np.float32), 1) for image in images[:5]])
    now = np.tile(flat.mean(0), (5, 1))
    for (points, offsets), forest in detector.stages_:
        values = np.zeros((5, 30))
        for i in range(5):
            for k in range(30):
                a, b = (np.rint(now[i].reshape(68, 2)[points[s, k]] + offsets[s, k]).astype(int).clip(0, 39)
                        for s in (0, 1))
                values[i, k] = blurred[i, a[1], a[0]] - blurred[i, b[1], b[0]]
        now = now + forest.predict(values) @ detector.basis_
    np.testing.assert_allclose(detector.predict(images[:5]), now.reshape(5, 68, 2), atol=1e-9)
    np.testing.assert_array_equal(CascadeDetector(stages=2, trees=3, pairs=30, components=4, starts=3)
                                  .fit(images, marks, 8).predict(images[:2]), detector.predict(images[:2]))
    assert len(CascadeDetector(stages=1, trees=1, pairs=5).fit(images[:6], marks[:6]).basis_) == 5


def test_what_the_cascade_is_trained_on():
    # the first start is the mean shape, the others lie half way to the shape of another face
    seen = []
    class _Forest:
        def fit(self, X, Y):
            seen.append((X, Y))
            return self
        def predict(self, X): return np.zeros((len(X), seen[0][1].shape[1]))
    images, marks = drawn_faces(6, 5, 40)
    with patch.object(landmarks_module, "_forest", lambda trees, rng: _Forest()):
        detector = CascadeDetector(stages=1, pairs=7, starts=2).fit(images, marks, 0)
    (X, Y), flat = seen[0], marks.reshape(6, 136)
    assert X.shape == (12, 7) and Y.shape == (12, 5)
    np.testing.assert_allclose(Y[::2], (flat - flat.mean(0)) @ detector.basis_.T)
    points, offsets = detector.stages_[0][0]
    blurred = [gaussian_filter(image.astype("f4"), 1) for image in images]
    at = np.rint(flat.mean(0).reshape(68, 2)[points] + offsets).astype(int).clip(0, 39) # (2, 7, 2)
    np.testing.assert_allclose(X[::2], [im[at[0, :, 1], at[0, :, 0]] - im[at[1, :, 1], at[1, :, 0]]
                                        for im in blurred], atol=1e-6)
    for i in range(6):
        starts = [(flat[i] - flat.mean(0) - .5*(other - flat.mean(0))) @ detector.basis_.T for other in flat]
        assert np.abs(np.array(starts) - Y[2*i + 1]).max(1).min() < 1e-9
    forest = _forest(11, np.random.default_rng(0))
    assert (forest.n_estimators, forest.max_depth) == (11, 9)
    assert (forest.min_samples_leaf, forest.max_features) == (5, 30)
    assert forest.random_state == np.random.default_rng(0).integers(2**31)


def test_places_outside_of_an_image_are_its_border():
    image, one = np.arange(12.).reshape(1, 3, 4), np.zeros((2, 1), int)
    for first, want in (((9., 1.), 7.), ((-3., 1.), 4.), ((2., 9.), 10.), ((2., -1.), 2.), ((9., 9.), 11.)):
        places = one, np.array([[first], [(0., 0.)]])
        assert _differences(image, np.array([0]), np.zeros((1, 136)), places) == want


def test_descriptors_reach_over_the_border():
    from skimage.feature import hog
    image, marks = np.random.default_rng(0).random((1, 20, 30)), np.zeros((1, 68, 2))
    marks[0, :3] = [[29., 19.], [40., 3.2], [-4., 50.]]
    got = hog_along(image, marks, 4).reshape(68, 36)
    wide = np.pad(image[0], 4, mode="edge")
    for k, (x, y) in enumerate([(29, 19), (30, 3), (0, 20), (0, 0)]):
        np.testing.assert_allclose(got[k], hog(wide[y:y + 8, x:x + 8], 9, (4, 4), (2, 2)), rtol=1e-6)


def test_the_linear_face_score_step_by_step():
    images, marks = drawn_faces(12, 1, 40)
    score = linear_face_score(images, marks, 4, 3)
    rng = np.random.default_rng(4)
    who, shift = rng.permutation(12), rng.uniform(-.35, .35, (12, 1, 2))*40
    X = np.vstack([hog_along(images, marks, 3), hog_along(images, marks[who] + shift, 3)])
    want = LinearSVC(C=.01).fit(X, [1]*12 + [0]*12).decision_function(X)
    np.testing.assert_allclose(score(X), want, atol=2e-3) # the solver shuffles
    assert np.mean(score(X[:12])) > np.mean(score(X[12:]))
    parts = np.arange(6), np.arange(6, 12)
    F = hog_along(images, marks, 3)
    linear = _clearness("linear", images, marks, parts, F, 4, 3)
    np.testing.assert_allclose(linear, linear_face_score(images[:6], marks[:6], 4, 3)(F[6:]), atol=2e-3)
    with patch.object(landmarks_module, "dlib_face_score", lambda images: images[:, 0, 0]):
        np.testing.assert_array_equal(_clearness("dlib", images, marks, parts, F, 0, 3), images[6:, 0, 0])
    with pytest.raises(ValueError, match="^face_score must be 'linear'"):
        _clearness("else", images, marks, parts, F, 0, 3)


def test_the_learned_scores_of_the_curve():
    rng = np.random.default_rng(0)
    F, losses = rng.normal(size=(60, 3)), rng.random(60)
    losses += np.abs(F[:, 0])
    train, validation, test = np.arange(30), np.arange(30, 45), np.arange(45, 60)
    scores, curve = _learning_curve(F, losses, (train, validation, test), (.5, 1.))
    grids = {"SELE": (1e-4, 1e-3, 1e-2, .1), "REG": (.1, 1., 10., 100.)}
    made = {"SELE": lambda p: SeleScore(penalty=p, tol=1e-3, max_iter=200),
            "REG": lambda p: RegressionScore(penalty=p)}
    assert curve["share"] == [.5, 1.]*2 and curve["n"] == [15, 30]*2
    assert {name: grid for name, (_, grid) in _SCORES.items()} == grids
    areas = []
    for name, grid in grids.items():
        for n in (15, 30):
            fits = [made[name](p).fit_arrays(F[:n], losses[:n]) for p in grid]
            k = np.argmin([aurc(losses[validation], f.predict_arrays(F[validation])) for f in fits])
            areas.append(aurc(losses[test], fits[k].predict_arrays(F[test])))
        np.testing.assert_allclose(scores[name], fits[k].predict_arrays(F[test]))
    np.testing.assert_allclose(curve["AuRC"], areas)


def test_the_parts_of_the_experiment():
    images, marks = drawn_faces(63, 7, 40)
    options = dict(detector=CascadeDetector(stages=1, trees=2, pairs=20, starts=1), shares=(1.,))
    out = landmark_experiment(images, marks, 3, face_score=np.arange(63.), **options)
    order = np.random.default_rng(3).permutation(63) # .35 of 63 are 22.05, then 44.1, then 50.4
    first, second, third, fourth = order[:22], order[22:44], order[44:50], order[50:]
    np.testing.assert_array_equal(out["landmarks"], marks[fourth])
    np.testing.assert_array_equal(out["scores"]["face score"], -fourth.astype(float))
    found = options["detector"].fit(images[first], marks[first], 3).predict(images)
    np.testing.assert_allclose(out["found"], found[fourth])
    mean = landmark_loss(marks[fourth], np.stack([marks[first].mean(0)]*13))
    np.testing.assert_allclose(out["losses of the mean shape"], mean)
    F, losses = hog_along(images, found, 2), landmark_loss(marks, found) # 40 pixels: cells of two
    scores, curve = _learning_curve(F, losses, (second, third, fourth), (1.,))
    assert out["curve"] == curve
    for name in scores: np.testing.assert_allclose(out["scores"][name], scores[name])


def test_an_arc():
    np.testing.assert_allclose(_arc(3, (1., 2.), (.5, .25), 0, .5),
                               [[1.5, 2.], [1 + .5*np.sqrt(.5), 2 + .25*np.sqrt(.5)], [1., 2.25]], atol=1e-12)
    face = template()
    np.testing.assert_allclose(face[27:31], [[0, -.3], [0, -.15], [0, 0], [0, .15]], atol=1e-12)
    np.testing.assert_allclose(face[[17, 19, 21, 24]], [[-.75, -.45], [-.45, -.57], [-.15, -.45],
                                                        [.45, -.57]],
                               atol=1e-12)
    np.testing.assert_allclose(face[[31, 33, 35]], [[-.2, .2], [0, .26], [.2, .2]], atol=1e-12)
    np.testing.assert_allclose(face[[48, 51, 54, 57]], [[-.35, .52], [0, .36], [.35, .52], [0, .68]],
                               atol=1e-12)
    np.testing.assert_allclose(face[[60, 62, 64, 66]], [[-.25, .52], [0, .46], [.25, .52], [0, .58]],
                               atol=1e-12)
    np.testing.assert_allclose(face[[37, 40]], [[-.42 - .09, -.25 - .08*np.sqrt(.75)],
                                                [-.42 + .09, -.25 + .08*np.sqrt(.75)]], atol=1e-12)
