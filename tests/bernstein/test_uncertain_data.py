"""Tests of nbs/bernstein/03_uncertain_data.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from math import pi
from math import sqrt
from math import tan

from reject_nb.bernstein.uncertain_data import (
    ENTRIES, UncertainData, _box_pieces, _covariance, _from_origin, _least_square, _per_feature,
    _replicate_pieces, _sample_pieces, _symmetric, row_blocks,
)

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


def test_matrices_are_made_symmetric_or_refused():
    a = np.array([[[2., 1.], [1. + 1e-10, 2.]], [[1., 0.], [0., 0.]]])
    found = _symmetric(a)
    np.testing.assert_array_equal(found, (a + a.transpose(0, 2, 1))/2)
    for skew, fine in ((1.9e-10, True), (2.1e-10, False)):           # of the largest entry, which is 2
        a[0, 1, 0] = 1 + skew
        if fine: assert _symmetric(a)[0, 0, 1] == _symmetric(a)[0, 1, 0]
        else:
            with pytest.raises(ValueError, match="^covariance must be symmetric up to rounding, row by row"):
                _symmetric(a)
    for least, fine in ((-.9e-10, True), (-1.1e-10, False)):
        b = np.array([[[1., 0.], [0., least]]])
        if fine: np.testing.assert_array_equal(_symmetric(b), b)
        else:
            with pytest.raises(ValueError, match="^covariance must be positive semidefinite, its least"):
                _symmetric(b)
    assert _covariance([[0., 4.]], (1, 2)).tolist() == [[0, 4]]
    with pytest.raises(ValueError, match=r"shape \(1, 2\) \(variances\) or \(1, 2, 2\), got shape \(2, 1\)"):
        _covariance([[1.], [1.]], (1, 2))


def test_least_squares_between_two_ends():
    low, high = np.array([-2., 1., -3., 0., -1.]), np.array([3., 2., -2., 5., 0.])
    assert _least_square(low, high).tolist() == [0, 1, 4, 0, 0]


def test_moments_about_another_place_by_hand():
    """E X^2 = 5, mean 1 to 2: about 3, 5 - 2 3 m + 9 is largest for m = 1, and 8; about -3 for m = 2, and 26.
    A mean of 2 has E X^2 of at least 4: the variance is not below 0 for rounding's sake."""
    def about(centre, second=5., low=1., high=2.):
        return float(_from_origin(*(np.array([v]) for v in (second, centre, low, high)))[0])
    assert about(3.) == pytest.approx(8, rel=1e-14) and about(-3.) == pytest.approx(26, rel=1e-14)
    assert about(0.) == pytest.approx(5, rel=1e-14) and about(0.) > 5             # rounded to the safe side
    assert about(2., 4., 2., 2.) == pytest.approx(8*2**-53*4, rel=1e-12)
    assert about(2., 4*(1 - 1e-12), 2., 2.) == pytest.approx(8*2**-53*4, rel=1e-3)
    assert about(2., 3.9, 2., 2.) == pytest.approx(-.1, rel=1e-12)                # this is no rounding


def test_rows_in_blocks():
    assert row_blocks(5, 3) == [slice(0, 5)] and row_blocks(0, 3) == [slice(0, 0)]
    assert row_blocks(130, ENTRIES) == [slice(0, 64), slice(64, 128), slice(128, 130)]
    assert row_blocks(300, ENTRIES//128)[:2] == [slice(0, 128), slice(128, 256)]
    assert len(row_blocks(10, 0)) == 1


def test_what_error_bars_tell():
    "Half widths 2 and 0: the uniform law has the variance 4/3, the triangular one 4/6."
    for law, divisor in (("uniform", 3), ("triangular", 6)):
        found = _box_pieces([[1., 5.]], [2., 0.], law)
        assert (found["lower"].tolist(), found["upper"].tolist()) == ([[-1, 5]], [[3, 5]])
        assert found["nominal"].tolist() == found["mean"].tolist() == [[1, 5]]
        assert found["covariance"].tolist() == found["central_moment"].tolist() == [[4/divisor, 0]]
        assert found["second_moment"].tolist() == [[4/divisor + 1, 25]]
    assert sorted(_box_pieces([[1.]], 2., None)) == ["lower", "nominal", "upper"]


def test_what_replicates_tell():
    "1, 2 and 6: mean 3, variance 14/3, E X^2 = 41/3; about the centre 3.5 a quarter more than the variance."
    found = _replicate_pieces([[[1.], [2.], [6.]], [[4.], [4.]]])
    assert (found["lower"].tolist(), found["upper"].tolist()) == ([[1], [4]], [[6], [4]])
    assert found["mean"].tolist() == [[3], [4]]
    np.testing.assert_allclose(found["covariance"], [[14/3], [0]], rtol=1e-15)
    np.testing.assert_allclose(found["central_moment"], [[14/3 + .25], [0]], rtol=1e-15)
    np.testing.assert_allclose(found["second_moment"], [[41/3], [16]], rtol=2e-12)
    assert (found["second_moment"] > [[41/3], [16]]).all()


def test_what_two_draws_tell():
    """Student's law with one degree of freedom is Cauchy's: its quantile at q is tan(pi (q - 1/2)). Draws 1
    and 3: mean 2, standard error 1. About the centre 4 of [0, 8] their squares 9 and 1 have the mean 5, with
    the standard error 4."""
    found = _sample_pieces([[[1.], [3.]]], .6, [[0.]], [[8.]])
    two, one = tan(pi*.3), tan(pi*.1)
    np.testing.assert_allclose([found["mean_lower"], found["mean_upper"]], [[[2 - two]], [[2 + two]]],
                               rtol=1e-12)
    np.testing.assert_allclose(found["central_moment"], [[5 + 4*one]], rtol=1e-12)
    assert found["nominal"].tolist() == [[2]] and (found["lower"], found["upper"]) == (0, 8)
    wide = _sample_pieces([[[1.], [3.]]], .99, [[0.]], [[8.]])
    assert (wide["mean_lower"], wide["mean_upper"],
            wide["central_moment"]) == (0, 8, 16)   # what the box allows
    own = _sample_pieces([[[1.], [3.]]], .6, None, None)
    assert (own["lower"], own["upper"]) == (1, 3) and own["central_moment"] == 1
    half = _sample_pieces([[[1.], [3.]]], .6, None, [[5.]])
    assert (half["lower"], half["upper"]) == (1, 5)
    four = _sample_pieces([[[0.], [0.], [2.], [2.]]], .5, [[-9.]], [[9.]])
    from scipy.stats import t
    np.testing.assert_allclose(four["mean_upper"], [[1 + t.ppf(.75, 3)*sqrt(4/3)/2]], rtol=1e-12)


def test_other_units_by_hand():
    data = UncertainData([[1., 0.]], [[5., 2.]], mean=[[4., 1.]], second_moment=[[17., 2.]],
                         covariance=[[[1., .5], [.5, 1.]]], nominal=[[2., 0.]])
    found = data.scaled(shift=[1., 0.], scale=[2., 4.])
    assert (found.lower.tolist(), found.upper.tolist()) == ([[0, 0]], [[2, .5]])
    assert (found.mean.tolist(), found.nominal.tolist()) == ([[1.5, .25]], [[.5, 0]])
    assert found.covariance.tolist() == [[[.25, .0625], [.0625, .0625]]] and found.second_moment is None
    np.testing.assert_allclose(found.central_moment, [[2/4, 1/16]], rtol=1e-12)   # 17 - 16 + 1 and 2 - 1
    variances = UncertainData([[1.]], [[5.]], covariance=[[1.]]).scaled(scale=2.)
    assert variances.covariance.tolist() == [[.25]] and variances.lower.tolist() == [[.5]]
    no_mean = UncertainData([[1.]], [[5.]], second_moment=[[17.]]).scaled()
    assert no_mean.central_moment.tolist() == [[4.]]                 # 17 - 6 + 9 is more than the box allows
    assert data.scaled().lower.tolist() == data.lower.tolist()
    for bad in (dict(scale=0.), dict(scale=[1., -1.])):
        with pytest.raises(ValueError, match="^scale must be above 0"): data.scaled(**bad)


def test_tables_are_joined():
    a = UncertainData([[0.]], [[1.]], mean=[[.5]])
    b = UncertainData([[2.], [3.]], [[4.], [5.]], mean=[[3.], [4.]])
    both = UncertainData.concatenate(iter([a, b]))
    assert both.lower.tolist() == [[0], [2], [3]] and both.mean.tolist() == [[.5], [3],
                                                                             [4]] and len(both) == 3
    other = UncertainData([[0.]], [[1.]])
    for parts in ([], [a, other], [a, 3], 7, [a, UncertainData([[0., 0.]], [[1., 1.]], mean=[[.5, .5]])]):
        with pytest.raises(ValueError, match="^parts must be"): UncertainData.concatenate(parts)


def test_one_number_or_one_a_feature():
    assert _per_feature(2, "a", 3).tolist() == [2, 2, 2] and _per_feature([1., 2], "a", 2,
                                                                          0.).tolist() == [1, 2]
    for value in (True, [1.], [1., np.nan], "2", [0., 1.]):
        with pytest.raises(ValueError, match="^a must"): _per_feature(value, "a", 2, 0.)
