"""Tests of nbs/bernstein/03_uncertain_data.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest

from reject_nb.bernstein.uncertain_data import UncertainData

def test_contradictions_name_the_argument_and_the_first_index():
    l, u = np.zeros((4, 3)), np.ones((4, 3))
    def broken(base, value):
        a = np.array(base, float); a[2, 1] = value; a[3, 0] = value
        return a
    h = u*.5
    for kw, words in [(dict(lower=broken(l, 2.), upper=u), "lower must be at most upper"),
                      (dict(lower=l, upper=u, mean=broken(h, 1.5)), "mean must lie in the box"),
                      (dict(lower=l, upper=u, mean=broken(h, -.5)), "mean must lie in the box"),
                      (dict(lower=l, upper=u, mean_lower=broken(h, .9), mean_upper=h), "mean_lower must be at most mean_upper"),
                      (dict(lower=l, upper=u, mean_lower=broken(h, -.1), mean_upper=h), "mean_lower must lie in the box"),
                      (dict(lower=l, upper=u, mean_lower=h, mean_upper=broken(h, 1.1)), "mean_upper must lie in the box"),
                      (dict(lower=l, upper=u, mean=h, second_moment=broken(h, .2)), "second_moment must be at least the squared mean"),
                      (dict(lower=l, upper=u, mean=h, central_moment=broken(h, -1)), "central_moment must not be negative"),
                      (dict(lower=l, upper=u, covariance=broken(h, -1)), "covariance holds a negative variance"),
                      (dict(lower=l, upper=broken(u, np.nan)), "upper must be finite")]:
        with pytest.raises(ValueError, match=words) as e: UncertainData(**kw)
        assert "[2, 1]" in str(e.value)
    with pytest.raises(ValueError, match="upper must have the shape of lower"): UncertainData(l, u[:2])
    with pytest.raises(ValueError, match="given together"): UncertainData(l, u, mean_lower=h)
    with pytest.raises(ValueError, match="at least one row"): UncertainData(l[:0], u[:0])
    with pytest.raises(ValueError, match="half_width"): UncertainData.from_box(u, -1)
    with pytest.raises(ValueError, match="confidence"): UncertainData.from_samples([u], confidence=2)
    with pytest.raises(ValueError, match=r"samples\[0\]"): UncertainData.from_samples([u[:1]])
    with pytest.raises(ValueError, match="symmetric"): UncertainData(l, u, covariance=np.triu(np.ones((4, 3, 3))))


def test_rows_are_indexed_in_every_field():
    rng = np.random.default_rng(0)
    U = UncertainData.from_replicates(rng.normal(size=(6, 5, 3)))
    for rows in ([1, 4], np.array([1, 4]), np.arange(6) % 3 == 1, (np.array([1, 4]), Ellipsis)):
        V = U[rows]
        assert V.shape == (2, 3)
        for f in ("lower", "upper", "mean", "second_moment", "covariance"): np.testing.assert_array_equal(getattr(V, f), getattr(U, f)[[1, 4]])
    assert len(U[3]) == 1 and len(U[2:]) == 4
    with pytest.raises(IndexError): U[:, 1]


def test_normalisation_does_not_depend_on_place_or_scale():
    rng = np.random.default_rng(1)
    g = rng.normal(size=(5, 7, 2))
    base = UncertainData.from_replicates(g).nu()
    np.testing.assert_allclose(UncertainData.from_replicates(g*1e-12).nu(), base, rtol=1e-9)
    np.testing.assert_allclose(UncertainData.from_replicates(g*1e6).nu(), base, rtol=1e-9)
    np.testing.assert_allclose(UncertainData.from_replicates(g + 1e6).nu(), base, rtol=1e-7)     # 1e-16*1e6 in the data
    U = UncertainData.from_replicates(g)
    V = UncertainData(U.lower, U.upper, mean=U.mean, second_moment=U.second_moment)
    np.testing.assert_allclose(V.nu(), base, rtol=1e-9)                                           # the raw second moment says the same


def test_zero_width_boxes_are_certain_points():
    X = np.array([[1., 1e6], [0., -3e-12]])
    for law in ("uniform", "triangular"): assert (UncertainData.from_box(X, 0, law=law).nu() == 0).all()
    assert (UncertainData(X, X, mean=X, second_moment=X**2).nu() == 0).all()


def test_samples_cover_mean_and_second_moment():
    rng = np.random.default_rng(2)
    U = UncertainData.from_samples(rng.uniform(-1, 2, (2000, 30, 1)), confidence=.9, lower=np.full((2000, 1), -1.), upper=np.full((2000, 1), 2.))
    assert abs(((U.mean_lower <= .5) & (.5 <= U.mean_upper)).mean() - .9) < .025        # binomial: 3.7 sd of .0067
    assert (U.central_moment >= .75).mean() > .86                                        # E(X - .5)^2 = 9/12; the t bound is asymptotic
