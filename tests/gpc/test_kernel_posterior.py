"""Tests of nbs/gpc/38_kernel_posterior.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
import tempfile
from fractions import Fraction
from pathlib import Path
from reject_nb.gpc.kernel_posterior import KernelPosterior
from reject_nb.gpc.kernel_posterior import OneVsRestPosterior
from reject_nb.gpc.kernels import Constant
from reject_nb.gpc.kernels import Linear
from reject_nb.gpc.kernels import Matern52
from reject_nb.gpc.kernels import SquaredExponential
from reject_nb.gpc.kernels import White
from reject_nb.gpc.many import certify_many
from reject_nb.gpc.many import load_model
from reject_nb.gpc.many import read_rows
from reject_nb.gpc.posterior import GPPosterior
from reject_nb.gpc.queries import is_safe
from reject_nb.gpc.queries import minimal_perturbation
from reject_nb.gpc.queries import robustness
from reject_nb.gpc.ranges import classification_range
from reject_nb.gpc.search import Ball
from scipy.integrate import quad
from scipy.stats import norm

from reject_nb.gpc.kernel_posterior import least_lead, least_share, most_lead, most_share

RNG = np.random.default_rng(1)
X = RNG.normal(size=(6, 2))
Q = RNG.normal(size=(9, 2))
WEIGHTS = RNG.normal(size=6)
SITES = RNG.uniform(.1, 1, 6)
KERNEL = SquaredExponential(2., [.7, 1.2])
FORM = np.linalg.inv(KERNEL.matrix(X, X) + np.diag(1/SITES))

@pytest.mark.parametrize("link", ["probit", "logistic"])
def test_a_squared_exponential_is_a_gpposterior(link):
    ours = KernelPosterior(KERNEL, X, WEIGHTS, FORM, link=link)
    other = GPPosterior(X, WEIGHTS, SITES, [.7, 1.2], 2., link)
    np.testing.assert_allclose(ours.latent(Q), other.latent(Q), atol=1e-12)
    np.testing.assert_allclose(ours.predict_proba(Q), other.predict_proba(Q), atol=1e-12)
    assert (ours.predict(Q) == other.predict(Q)).all()


def test_regression_is_the_conditional_gaussian():
    kernel, noise, y = Matern52(1.5, .8) + Linear(.4), .1, RNG.normal(size=6)
    form = np.linalg.inv(kernel.matrix(X, X) + noise*np.eye(6))
    mean, var = KernelPosterior(kernel, X, form @ y, form, link=None, noise=noise).latent(Q[:1])
    both = kernel.matrix(np.vstack([X, Q[:1]]), np.vstack([X, Q[:1]])) + np.diag([noise]*6 + [0])
    precision = np.linalg.inv(both)                           # of training values and the new one, jointly
    assert var[0] == pytest.approx(1/precision[6, 6], rel=1e-9)
    assert mean[0] == pytest.approx(-precision[6, :6] @ y/precision[6, 6], rel=1e-9)


def test_links_are_expectations():
    post = KernelPosterior(KERNEL, X, WEIGHTS, FORM, mean=.3, clip=1e-3)
    mean, var = (v[0] for v in post.latent(Q[:1]))
    whole = quad(lambda f: norm.cdf(f)*norm.pdf(f, mean, np.sqrt(var)), mean - 12, mean + 12)[0]
    assert post.predict_proba(Q[:1])[0] == pytest.approx(1e-3 + .998*whole, abs=1e-9)


def test_white_noise_is_in_the_variance_only():
    plain, noisy = (KernelPosterior(k, X, WEIGHTS, FORM) for k in (KERNEL, KERNEL + White(.5)))
    np.testing.assert_allclose(noisy.latent(Q)[0], plain.latent(Q)[0])
    np.testing.assert_allclose(noisy.latent(Q)[1], plain.latent(Q)[1] + .5)


def test_one_against_the_rest_is_normalised():
    parts = tuple(KernelPosterior(KERNEL, X, w, FORM, link="logistic")
                  for w in (WEIGHTS, -WEIGHTS, 0*WEIGHTS))
    post = OneVsRestPosterior(parts, ["a", "b", "c"])
    each = np.column_stack([p.predict_proba(Q) for p in parts])
    np.testing.assert_allclose(post.predict_proba(Q), each/each.sum(1, keepdims=True))
    assert post.predict(Q).tolist() == [["a", "b", "c"][i] for i in each.argmax(1)]
    assert post.index_of("b") == 1 and post.n_classes == 3 and post.d == 2

GOOD = dict(kernel=KERNEL, Z=X, weights=WEIGHTS, matrix=FORM)
TWO = (KernelPosterior(**GOOD), KernelPosterior(**GOOD))

@pytest.mark.parametrize("name, value", [
    ("kernel", "rbf"), ("kernel", SquaredExponential(1., 1., dims=(4,))), ("Z", [1.]), ("weights", [1.]),
    ("matrix", np.eye(2)),
    ("matrix", np.triu(np.ones((6, 6)))), ("mean", np.nan), ("link", "cauchit"), ("noise", 1.), ("clip", .5),
    ("classes", [1, 1])])
def test_what_is_wrong_is_named(name, value):
    with pytest.raises(ValueError, match=f"^{name}"): KernelPosterior(**{**GOOD, name: value})


@pytest.mark.parametrize("call, name", [
    (lambda: OneVsRestPosterior(TWO[:1], [0]), "latents"), (lambda: OneVsRestPosterior(TWO, [0]), "classes"),
    (lambda: OneVsRestPosterior(TWO, [0, 1], error=-1.), "error"),
    (lambda: OneVsRestPosterior(TWO, [0, 1]).index_of(2), "target"),
    (lambda: OneVsRestPosterior((TWO[0], KernelPosterior(**GOOD, link=None)), [0, 1]), "latents"),
    (lambda: KernelPosterior(**GOOD, link=None).predict_proba(Q), "post"),
    (lambda: TWO[0].latent(Q[:, :1]), "X"),
    (lambda: KernelPosterior(SquaredExponential(1e7, 1.), X, WEIGHTS, FORM, link="logistic"), "kernel")])
def test_what_is_wrong_in_calls_is_named(call, name):
    with pytest.raises(ValueError, match=f"^{name}"): call()

MODELS = {"exact": KernelPosterior(Matern52(2., .8) + Linear(.2), X, WEIGHTS,
                                   np.linalg.inv((Matern52(2., .8) + Linear(.2)).matrix(X, X)
                                                 + np.diag(1/SITES))),
          "logistic": KernelPosterior(Matern52(2., .8, dims=(0,)), X, WEIGHTS, FORM/9, link="logistic"),
          "indefinite, clipped": KernelPosterior(KERNEL, X, WEIGHTS, -.3*np.eye(6), mean=.2, clip=1e-3),
          "three classes": OneVsRestPosterior(tuple(KernelPosterior(k, X, w, FORM/4, link="logistic")
                                                    for k, w in
                                                    ((Matern52(1., 1.), WEIGHTS), (KERNEL, -WEIGHTS),
                                                     (Linear(.5), WEIGHTS[::-1]))), ["a", "b", "c"])}

def _sampled(lower, upper):
    "Points of a box."
    return lower + (upper
                    - lower)*np.vstack([np.random.default_rng(0).random((2000, 2)),
                                        [[0, 0], [0, 1], [1, 0], [1, 1.]]])


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("ball", [None, Ball([.1, .2], .3, 1)])
def test_ranges_hold_every_point(name, ball):
    post, lower, upper = MODELS[name], np.array([-.2, 0.]), np.array([.3, .4])
    several = name == "three classes"
    found = classification_range(post, lower, upper, tol=.02, ball=ball, target="b" if several else None)
    points = _sampled(lower, upper)
    if ball is not None: points = points[[ball.contains(x) for x in points]]
    p = post.predict_proba(points)
    p = p[:, 1] if several else p
    assert found.status == "optimal"
    assert found.min_lower <= p.min() <= found.min_upper + .02
    assert found.max_lower - .02 <= p.max() <= found.max_upper
    ends = post.predict_proba(np.array([found.x_min, found.x_max]))
    np.testing.assert_allclose(ends[:, 1] if several else ends, [found.min_upper, found.max_lower], atol=1e-6)


@pytest.mark.parametrize("name", MODELS)
def test_verdicts_and_radii(name):
    post, x = MODELS[name], np.array([.4, .3])
    found = minimal_perturbation(post, x, tol=.01, max_radius=4.)
    assert 0 < found.certified <= found.attack
    classes = post.predict(x + found.certified*np.random.default_rng(0).uniform(-1, 1, (2000, 2)))
    assert (classes == post.predict(x[None])[0]).all()
    assert is_safe(post, x, .99*found.certified)
    if np.isfinite(found.attack):
        assert post.predict(found.adversarial[None])[0] != post.predict(x[None])[0]
        assert np.abs(found.adversarial - x).max() <= found.attack
        assert is_safe(post, x, 1.05*found.attack).status == "unsafe"


@pytest.mark.parametrize("name", ["exact", "three classes"])
def test_robustness_is_the_largest_move(name):
    post, x = MODELS[name], np.array([.4, .3])
    found = robustness(post, x, .1, tol=.01)
    moved = np.abs(post.predict_proba(_sampled(x - .1, x + .1)) - post.predict_proba(x[None])).max()
    assert moved <= found.upper and found.lower <= moved + .02


def test_a_known_error_widens_the_shares():
    parts = MODELS["three classes"].latents
    narrow, wide = (classification_range(OneVsRestPosterior(parts, [0, 1, 2], error), [.1, .1], [.2, .2],
                                         tol=.01, target=1) for error in (0., .01))
    assert wide.min_lower < narrow.min_lower - 1e-3 and wide.max_upper > narrow.max_upper + 1e-3


@pytest.mark.parametrize("call, name", [
    (lambda: classification_range(KernelPosterior(**GOOD, link=None), [0., 0.], [1., 1.]), "post"),
    (lambda: classification_range(TWO[0], [0., 0.], [1., 1.], target=1), "target"),
    (lambda: classification_range(TWO[0], [0., 0.], [1., 1.], bounds="paper"), "bounds"),
    (lambda: classification_range(MODELS["three classes"], [0., 0.], [1., 1.]), "target"),
    (lambda: is_safe(KernelPosterior(**GOOD, link=None), [0., 0.], .1), "post")])
def test_questions_that_do_not_fit_are_refused(call, name):
    with pytest.raises(ValueError, match=f"^{name}"): call()

THREE = OneVsRestPosterior(tuple(KernelPosterior(KERNEL, X, w, FORM, link="logistic", classes=["no", "yes"])
                                 for w in (WEIGHTS, -WEIGHTS, .3*WEIGHTS)), ["a", "b", "c"], 1e-4)
STORED = {"sum": KernelPosterior(KERNEL*Constant(.3) + Linear([.1, 0.]) + Matern52(1., .7, dims=(1,)), X,
                                 WEIGHTS, FORM, .1, "probit",
                                 clip=1e-3, classes=["no", "yes"]),
          "regression": KernelPosterior(KERNEL + White(.1), X, WEIGHTS, FORM, link=None, noise=.2),
          "three": THREE}

@pytest.mark.parametrize("name", STORED)
def test_what_is_saved_is_read_back_bit_for_bit(name):
    post = STORED[name]
    with tempfile.TemporaryDirectory() as folder:
        path = post.save(Path(folder)/"deep"/"model")
        for again in (type(post).load(path), load_model(path)):
            assert type(again) is type(post) and again.classes.tolist() == post.classes.tolist()
            for one, two in zip(getattr(post, "latents", [post]), getattr(again, "latents", [again])):
                np.testing.assert_array_equal(one.latent(Q), two.latent(Q))
                assert (one.link, one.noise, one.clip, one.mean) == (two.link, two.noise, two.clip, two.mean)
        other = Path(folder)/"other.npz"
        np.savez(other, **{**post._arrays(), "kernel": "{}", "kernel_0": "{}"})
        with pytest.raises(ValueError, match="^path"): type(post).load(other)
        with pytest.raises(ValueError, match="^path"): GPPosterior.load(path)

FEW = Q[:2]
ASKED = {"sum": ("range", "verdict", "radius"), "three": ("range", "verdict")}

@pytest.mark.parametrize("name", ["sum", "three"])
def test_many_points_are_single_ones(name):
    post = STORED[name]
    with tempfile.TemporaryDirectory() as folder:
        asked = dict(radius=.1, tol=.1, questions=ASKED[name], time_limit=None, csv=Path(folder)/"rows.csv")
        found = certify_many(post, FEW, **asked)
        assert found.label.tolist() == post._labels_of(FEW).tolist()
        for i, x in enumerate(FEW):
            target = found.label[i] if name == "three" else None
            one = classification_range(post, x - .1, x + .1, tol=.1, target=target)
            np.testing.assert_allclose((found.min_lower[i], found.max_upper[i]),
                                       (one.min_lower, one.max_upper), rtol=1e-9)
            assert found.verdict[i] == str(is_safe(post, x, .1).status)
            if "radius" in ASKED[name]:
                alone = minimal_perturbation(post, x, time_limit=None).certified
                assert found.radius[i] == pytest.approx(alone, rel=1e-3)
        seen = []
        again = certify_many(load_model(post.save(Path(folder)/"model")), FEW,
                             progress=lambda *how: seen.append(how), **asked)
        assert not seen and len(read_rows(asked["csv"])) == len(FEW)
        np.testing.assert_array_equal(again.radius, found.radius)
        certify_many(STORED["three" if name == "sum" else "sum"], Q[:1], .1, tol=.3, csv=asked["csv"],
                     progress=lambda *how: seen.append(how))
        assert seen


def test_a_class_below_one_half_is_not_safe_for_that():
    latents = tuple(KernelPosterior(KERNEL, X, scale*WEIGHTS, FORM, link="logistic")
                    for scale in (.1, -.1, 0.))
    flat = OneVsRestPosterior(latents, ["a", "b", "c"])
    found = certify_many(flat, Q, 1., time_limit=None, max_boxes=40, tol=.1)
    low = found.max_upper < .5
    assert low.any() and (found.verdict[low] == "unsafe").any()
    for i in np.flatnonzero(low): assert found.verdict[i] == str(is_safe(flat, Q[i], 1., max_boxes=40).status)


def test_a_regression_has_no_verdicts():
    with pytest.raises(ValueError, match="^post"): certify_many(STORED["regression"], Q, .1)


@pytest.mark.parametrize("own, others, error", [
    (.25, [.5, .125], 0.), (.5, [.25, .125], .0625), (.75, [.5, .5], .25)])
def test_shares_and_leads_are_rounded_outward_by_1e_15(own, others, error):
    "Against fractions: each bound lies outside by its allowance, no more."
    o, rest, e = Fraction(own), [Fraction(v) for v in others], Fraction(error)
    least = (o - e)/(o - e + sum(v + e for v in rest))
    most = (o + e)/(o + e + sum(max(v - e, Fraction(0)) for v in rest))
    low, high = o - max(rest) - 2*e, o - max(rest) + 2*e
    rows = np.array([own]), np.array([others]), error
    for exact, bound, way in ((least, least_share, -1), (most, most_share, 1), (low, least_lead, -1),
                              (high, most_lead, 1)):
        off = way*(Fraction(float(bound(*rows)[0])) - exact)
        assert 8e-16 < off < 1.2e-15 or (exact == 1 and off == 0)


def test_shares_of_nothing():
    "Probabilities that are all zero: any share; one of 2e-300 keeps a half beside 2e-300 of allowance."
    none = np.zeros(1), np.zeros((1, 2))
    assert least_share(*none, 0.)[0] == 0. and most_share(*none, 0.)[0] == 1.
    tiny = np.array([2e-300])
    assert least_share(tiny, np.zeros((1, 2)), 0.)[0] == pytest.approx(.5)
    assert least_share(np.array([.1]), np.array([[.2, .3]]), .2)[0] == 0.
