"""Tests of nbs/bernstein/03_uncertain_data.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest

from reject_nb.bernstein.uncertain_data import UncertainData

ZERO = np.zeros((4, 3))
ONE = np.ones((4, 3))
HALF = np.full((4, 3), .5)

def _broken(base, value):
    "Wrong at [2, 1] and at [3, 0]."
    a = np.array(base, float)
    a[2, 1] = a[3, 0] = value
    return a

CONTRADICTIONS = [
    (dict(lower=_broken(ZERO, 2.), upper=ONE), "lower must be at most upper"),
    (dict(mean=_broken(HALF, 1.5)), "mean must be in the box"),
    (dict(mean=_broken(HALF, -.5)), "mean must be in the box"),
    (dict(nominal=_broken(HALF, 1.1)), "nominal must be in the box"),
    (dict(nominal=_broken(HALF, -.1)), "nominal must be in the box"),
    (dict(mean_lower=_broken(HALF, .9), mean_upper=HALF), "mean_lower must be at most mean_upper"),
    (dict(mean_lower=_broken(HALF, -.1), mean_upper=HALF), "mean_lower must be in the box"),
    (dict(mean_lower=HALF, mean_upper=_broken(HALF, 1.1)), "mean_upper must be in the box"),
    (dict(mean=_broken(HALF, .7), mean_lower=HALF, mean_upper=.6*ONE),
     r"mean must be in \[mean_lower, mean_upper\]"),
    (dict(mean=_broken(HALF, .4), mean_lower=HALF, mean_upper=.6*ONE),
     r"mean must be in \[mean_lower, mean_upper\]"),
    (dict(mean=HALF, second_moment=_broken(HALF, .2)), "second_moment must be at least what"),
    (dict(lower=.3*ONE, second_moment=_broken(HALF, .08)), "second_moment must be at least what"),
    (dict(mean_lower=HALF, mean_upper=.6*ONE, second_moment=_broken(HALF, .24)),
     "second_moment must be at least what"),
    (dict(mean=HALF, central_moment=_broken(HALF, -1)), "central_moment must be at least 0"),
    (dict(mean=.8*ONE, central_moment=_broken(HALF, .08)), "central_moment must be at least what"),
    (dict(second_moment=_broken(HALF, -1)), "second_moment must be at least 0"),
    (dict(covariance=_broken(HALF/4, -1)), "covariance must be at least 0, a variance,"),
    (dict(covariance=_broken(HALF/4, .26)), "covariance must be at most what the box"),
    (dict(mean=.9*ONE, covariance=_broken(.08*ONE, .1)), "covariance must be at most what the box"),
    (dict(mean=HALF, covariance=.2*ONE, central_moment=_broken(.2*ONE, .19)),
     "central_moment must be at least what"),
    (dict(mean=HALF, covariance=.2*ONE, second_moment=_broken(.45*ONE, .44)),
     "second_moment must be at least what"),
    (dict(upper=_broken(ONE, np.nan)), "upper must be without NaN"),
    (dict(upper=_broken(ONE, np.inf)), "upper must be finite")]

@pytest.mark.parametrize("pieces, words", CONTRADICTIONS)
def test_contradictions_name_the_argument_and_the_first_index(pieces, words):
    with pytest.raises(ValueError, match=f"^{words}.*got .* at index .2, 1.") as e:
        UncertainData(**{"lower": ZERO, "upper": ONE, **pieces})
    assert "at index (2, 1)" in str(e.value)

REFUSED = [
    (lambda: UncertainData(ZERO, ONE[:2]), "upper must be an array of shape"),
    (lambda: UncertainData(ZERO, ONE, mean_lower=HALF), "given together"),
    (lambda: UncertainData(ZERO, ONE, mean_upper=HALF), "^mean_lower must be given together"),
    (lambda: UncertainData(ZERO, None), "^upper must"),
    (lambda: UncertainData(ZERO[:0], ONE[:0]), "lower must be an array with at least one entry"),
    (lambda: UncertainData("x", ONE), "^lower must"),
    (lambda: UncertainData.from_box(ONE, -1), "^half_width must"),
    (lambda: UncertainData.from_box(ONE, [1., 2]), "^half_width must"),
    (lambda: UncertainData.from_box(ONE, 1, law="normal"), "^law must"),
    (lambda: UncertainData.from_samples([ONE], confidence=2), "^confidence must"),
    (lambda: UncertainData.from_samples([ONE[:1]]), r"^samples\[0\] must"),
    (lambda: UncertainData.from_replicates([]), "^groups must"),
    (lambda: UncertainData.from_replicates([ONE, ONE[:, :2]]), r"^groups\[1\] must"),
    (lambda: UncertainData.from_replicates(3), "^groups must"),
    (lambda: UncertainData.from_replicates(memoryview(np.ones((2, 3, 2)))), "^groups must"),
    (lambda: UncertainData(ZERO, ONE).scaled(scale=1e-300), "^scale must be such that"),
    (lambda: UncertainData(ZERO, ONE).scaled(scale=np.timedelta64(2)), "^scale must"),
    (lambda: UncertainData(ZERO, ONE).scaled(shift=10**400), "^shift must"),
    (lambda: UncertainData.from_samples([[[0.], [1.], [3.]]], confidence=1e-300),
     "^confidence must be large"),
    (lambda: UncertainData.from_replicates([ONE[:0]]), r"^groups\[0\] must"),
    (lambda: UncertainData(ZERO, ONE).nu(), "^exact must"),
    (lambda: UncertainData.from_samples([ONE], lower=[[1.1, 0, 0]], upper=ONE[:1]),
     r"^lower must be at most every draw.*1.1 at index \(0, 0\)"),
    (lambda: UncertainData.from_samples([ONE], lower=ZERO[:1], upper=[[1, .9, 1]]),
     r"^upper must be at least every draw.*0.9 at index \(0, 1\)"),
    (lambda: UncertainData(ZERO, ONE, covariance=np.triu(np.ones((4, 3, 3)))),
     "covariance must be symmetric"),
    (lambda: UncertainData(ZERO, ONE, covariance=np.ones((4, 3, 3)) - 1.1*np.eye(3)),
     "covariance must be positive semidefinite"),
    (lambda: UncertainData(ZERO, ONE, covariance=np.ones((4, 3, 4))), "covariance must be an array of shape")]

@pytest.mark.parametrize("call, words", REFUSED)
def test_bad_input_is_named(call, words):
    with pytest.raises(ValueError, match=words): call()


def test_borders_are_allowed():
    for m in (ZERO, ONE, HALF):
        assert UncertainData(ZERO, ONE, mean=m, mean_lower=m, mean_upper=m, nominal=m).mean.shape == (4, 3)
    # the ends of the box
    ends = UncertainData(ZERO, ONE, mean=HALF, covariance=.25*ONE, central_moment=.25*ONE, second_moment=HALF)
    assert (ends.normalised().sigma == 1).all()
    assert (UncertainData(ZERO, ONE, mean=HALF, second_moment=.25*ONE).nu() < .2).all()
    # rounding of a zero variance
    assert UncertainData([[0., 0.]], [[2., 2.]], covariance=[[[1., 0.], [0., -1e-10]]]).has("covariance")

SELECTIONS = [[1, 4], np.array([1, 4]), np.arange(6) % 3 == 1, (np.array([1, 4]), Ellipsis),
              (np.array([1, 4]), slice(None))]

@pytest.mark.parametrize("rows", SELECTIONS)
def test_rows_are_indexed_in_every_field(rows):
    U = UncertainData.from_replicates(np.random.default_rng(0).normal(size=(6, 5, 3)))
    V = U[rows]
    assert V.shape == (2, 3) and V.ndim == 2 and V.nominal is None
    for f in ("lower", "upper", "mean", "second_moment", "central_moment", "covariance"):
        np.testing.assert_array_equal(getattr(V, f), getattr(U, f)[[1, 4]])


def test_single_rows_slices_and_columns():
    U = UncertainData.from_replicates(np.random.default_rng(0).normal(size=(6, 5, 3)))
    assert len(U[3]) == 1 and len(U[np.int64(3)]) == 1 and len(U[2:]) == 4
    assert U[3].mean.tolist() == U.mean[3:4].tolist()
    for columns in ((slice(None), 1), (0, 0, Ellipsis)):
        with pytest.raises(IndexError, match="rows only"): U[columns]
    words = "support, mean, second_moment, central_moment, covariance"
    assert repr(U) == f"UncertainData(6 points, 3 features; {words})"


def test_what_is_known():
    box, mean = UncertainData(ZERO, ONE), UncertainData(ZERO, ONE, mean=HALF, central_moment=HALF)
    bounds = UncertainData(ZERO, ONE, mean_lower=ZERO, mean_upper=HALF, second_moment=ONE, covariance=HALF/4,
                           nominal=HALF*1.2)
    names = ("support", "point", "mean", "mean_bounds", "moment", "covariance")
    known = {n: [u.has(n) for u in (box, mean, bounds)] for n in names}
    assert list(known.values()) == [[True]*3, [True]*3, [False, True, False], [False, True, True],
                                    [False, True, True], [False, False, True]]
    assert (box.point == .5).all() and (bounds.point == .6).all() and (box.half_width == .5).all()
    assert (box.centre == .5).all()
    assert box.mean_bounds() == (None, None) and mean.mean_bounds()[1] is mean.mean
    assert bounds.mean_bounds()[0] is bounds.mean_lower
    with pytest.raises(ValueError, match="^name must be one of"): box.has("law")

REPLICATES = np.random.default_rng(1).normal(size=(5, 7, 2))

@pytest.mark.parametrize("scale, shift, rtol", [(1e-12, 0., 1e-9), (1e6, 0., 1e-9), (1., 1e6, 1e-7)])
def test_normalisation_does_not_depend_on_place_or_scale(scale, shift, rtol):
    base = UncertainData.from_replicates(REPLICATES).nu()
    np.testing.assert_allclose(UncertainData.from_replicates(REPLICATES*scale + shift).nu(), base, rtol=rtol)


def test_both_second_moments_say_the_same():
    U = UncertainData.from_replicates(REPLICATES)
    V = UncertainData(U.lower, U.upper, mean=U.mean, second_moment=U.second_moment)
    np.testing.assert_allclose(V.nu(), U.nu(), rtol=1e-9)
    # with intervals of means: the worst mean of each
    r = .1*U.half_width
    bounds = dict(mean_lower=np.maximum(U.mean - r, U.lower), mean_upper=np.minimum(U.mean + r, U.upper))
    W = UncertainData(U.lower, U.upper, second_moment=U.second_moment + .1, **bounds)
    c = W.centre
    worst = np.maximum(-2*c*W.mean_lower, -2*c*W.mean_upper)
    square = np.minimum((W.second_moment + worst + c**2)/W.half_width**2, 1)
    np.testing.assert_allclose(W.normalised(exact=False).sigma, np.sqrt(square), rtol=1e-9)


def test_normalised_moments_by_hand():
    U = UncertainData([[1.]], [[5.]], mean=[[4.]], mean_lower=[[3.]], mean_upper=[[4.5]],
                      central_moment=[[1.5]])
    exact, bounds = U.normalised(), U.normalised(exact=False, second=False)
    assert exact.lower == exact.upper == .5 and exact.half_width == 2
    assert abs(exact.sigma - np.sqrt(1.5)/2) < 1e-15
    assert bounds.lower == 0 and bounds.upper == .75 and bounds.sigma == 1
    cut = UncertainData([[1.]], [[5.]], mean_lower=[[1.5]], mean_upper=[[4.5]],
                        central_moment=[[1.]]).normalised(exact=False)
    # Jensen: |mean| is at most sigma
    assert cut.sigma == .5 and cut.lower == -.5 and cut.upper == .5


@pytest.mark.parametrize("law", ["uniform", "triangular"])
def test_laws_on_a_box(law):
    X = np.array([[1., 1e6], [0., -3e-12]])
    assert (UncertainData.from_box(X, 0, law=law).nu() == 0).all()
    U = UncertainData.from_box(X[:, :1], 2., law=law)
    rng = np.random.default_rng(0)
    draws = rng.uniform(-2, 2, 200_000) if law == "uniform" else rng.uniform(-1, 1, (2, 200_000)).sum(axis=0)
    # four deviations of the sample variance
    np.testing.assert_allclose(U.covariance, draws.var(), rtol=.02)
    np.testing.assert_allclose(U.second_moment, U.covariance + X[:, :1]**2)
    np.testing.assert_array_equal(U.central_moment, U.covariance)
    assert U.mean is not None and UncertainData.from_box(X, 1.).mean is None


def test_zero_width_boxes_are_certain_points():
    X = np.array([[1., 1e6], [0., -3e-12]])
    assert (UncertainData(X, X, mean=X, second_moment=X**2).nu() == 0).all()


def test_samples_cover_mean_and_second_moment():
    draws = np.random.default_rng(2).uniform(-1, 2, (2000, 30, 1))
    U = UncertainData.from_samples(draws, confidence=.9, lower=np.full((2000, 1), -1.),
                                   upper=np.full((2000, 1), 2.))
    # binomial: 3.7 sd of .0067
    assert abs(((U.mean_lower <= .5) & (.5 <= U.mean_upper)).mean() - .9) < .025
    # E(X - .5)^2 = 9/12; the t bound is asymptotic
    assert (U.central_moment >= .75).mean() > .86
    assert (UncertainData.from_samples(draws[:5]).lower[:, 0] == draws[:5].min(axis=1)[:, 0]).all()


def test_an_array_would_drop_what_is_uncertain():
    data = UncertainData.from_box([[0., 1.], [2., 3.]], .1)
    for turn in (np.asarray, np.array, lambda d: np.asarray(d, dtype=float)):
        with pytest.raises(TypeError, match="UncertainRows"): turn(data)


def test_tools_that_want_an_array_are_told_the_way():
    from sklearn.linear_model import LogisticRegression
    from sklearn.multiclass import OneVsOneClassifier
    data = UncertainData.from_box(np.arange(12.).reshape(6, 2), .1)
    with pytest.raises(TypeError, match="UncertainRows"):
        OneVsOneClassifier(LogisticRegression()).fit(data, [0, 0, 1, 1, 2, 2])
