"""What a person receives: every rule and every classifier asked row by row, at its defaults, after it was pickled and cloned.

The inputs are a few atoms, so that what `predict`, `answer` or `apply` returned for one row gives the exact risk or rate. Distributions lie at
their target: either every atom does (`FLAT`), or all atoms together (`RISING`), or the heaviest atom is the one at the border.
"""
import contextlib
import copy
import inspect
import io
import pickle
import tempfile
from functools import partial
from pathlib import Path

import numpy as np
from doors import ABOVE, Door, door
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from reject_nb import audit, bernstein, cli, gpc, mcsvm, ood, risk_control, sdr
from reject_nb.strategies import BoundedAbstention, BoundedImprovement

RECEIVED:list[Door] = []
received = partial(door, table=RECEIVED)

# Ways of asking -------------------------------------------------------------------------------------------------------

ATOMS = np.unique(np.random.default_rng(0).integers(0, 4, (20, 6)), axis=0).astype(float)      # 20 places, whole numbers
SLOPE = np.linspace(-1, 1.3, 6)
WORDS = {2: np.array(["no", "yes"]), 3: np.array(["cat", "hippopotamus", "horse"])}               # the longest is not the first
LABELS = {"text": WORDS, "objects": {k: v.astype(object) for k, v in WORDS.items()}, "whole numbers": {2: np.array([3, 10]), 3: np.array([3, 10, -7])}}


def rows(X, i): return X[np.asarray(i)]


def joined(parts): return np.concatenate([np.atleast_1d(part) for part in parts])


def one_by_one(call, *columns):
    """What a call says about each row, asked alone."""
    return joined([call(*(rows(c, [i]) for c in columns)) for i in range(len(columns[0]))])


def same(a, b) -> bool:
    """Equal answers of equal kind; scores may differ by rounding."""
    a, b = np.asarray(a), np.asarray(b)
    if a.shape != b.shape: return False
    if a.dtype.kind == "f": return b.dtype.kind == "f" and np.allclose(a, b, rtol=1e-6, atol=1e-9, equal_nan=True)
    kinds = [type(v) for v in a.ravel().tolist()] == [type(v) for v in b.ravel().tolist()]
    return kinds and bool((a == b).all())


def asked(call, *columns):
    """What a call answers for each row alone; it answers the same in every other way."""
    alone, n = one_by_one(call, *columns), len(columns[0])
    order = np.arange(n)[::-1]
    exact = [c.astype(np.float32) if isinstance(c, np.ndarray) and c.dtype.kind == "f" else c for c in columns]
    for way, found in {"all at once": call(*columns), "in another order": rows(call(*(rows(c, order) for c in columns)), order),
                       "in another precision": call(*exact)}.items():
        assert same(alone, found), f"other answers {way}"
    return alone


def again(rule): return pickle.loads(pickle.dumps(copy.deepcopy(rule)))


# Classifiers ----------------------------------------------------------------------------------------------------------

def first_is_even(X): return np.asarray(X)[:, 0] % 2 == 0


def second_is_even(X): return np.asarray(X)[:, 1] % 2 == 0


def stages(): return [("bayes", GaussianNB()), ("linear", LogisticRegression())]


def svc(model, X, y): return model.fit(X, y)


def calibrated(model, X, y):
    model.fit(X[:120], y[:120]).calibrate(X[120:], y[120:], rule="scaling_unsafe", eps=.2, delta=.05)
    return model


def with_foreign(model, X, y): return model.fit(X, y, X[::2] + [0, 3, 0, 3, 0, 3])


def fit(model, X, y): return model.fit(X, y)


def boxed(model, X, y): return model.fit(X[:60], y[:60])


MODELS = {      # name -> classes, a classifier as a user makes it, how it is fitted
    "risk_control.CalibratedRegion": (2, risk_control.CalibratedRegion, fit),
    "risk_control.RegionPerClass": (3, risk_control.RegionPerClass, fit),
    "risk_control.SelectiveClassifier": (3, lambda: risk_control.SelectiveClassifier(model=BoundedImprovement(.3)), fit),
    "risk_control.SelectiveClassifier, groups": (3, lambda: risk_control.SelectiveClassifier(
        model=BoundedImprovement(.4), groups=first_is_even, delta=.2), fit),
    "risk_control.CascadeClassifier": (3, lambda: risk_control.CascadeClassifier(stages(), target=.3), fit),
    "sdr.SafeRegionClassifier": (2, sdr.SafeRegionClassifier, fit),
    "mcsvm.MultiCostSVC": (2, mcsvm.MultiCostSVC, calibrated),
    "ood.DoubleScoreSelector": (3, lambda: ood.DoubleScoreSelector(guarantee=True), with_foreign),
    "bernstein.RobustSVC": (2, bernstein.RobustSVC, boxed),
    "gpc.CertifiedGPClassifier": (2, gpc.CertifiedGPClassifier, boxed),
}
OTHER = dict(   # another valid value of each parameter
    estimator=GaussianNB(), rule="conformal_unsafe", eps=.3, delta=.3, eps_safe=.4, calibration_share=.6, prefit=True, random_state=7, reference=.1,
    stages=stages()[:1], target=.9, costs=[2., 1.], capacity=[None, .1], coverage=.2, budget=3., reject_cost=2., calibration_size=.6, learn=.5,
    reject_label="?", uncertainty=risk_control.MarginScore(), model=BoundedAbstention(.2), guarantee="ltt", loss="absolute", bound=9., score_size=.2,
    groups=second_is_even, n_candidates=9, family="exponential", p_safe=.9, class_weight="balanced", shrinkage=.5, probability=True, taus=[.1, .9], C=.01,
    eta=.5, kernel="rbf", degree=2, gamma=2., coef0=0., class_balanced=True, tol=1e-3, risk_score="mls", ood_score="msp", formulation="MM-S", max_iter=9,
    time_limit=1., inference="ep", max_evaluations=3, likelihood="logit", ard=False, lengthscale=3., variance=2.)


def another(model, name):
    """Another valid value."""
    if name == "safe_label": return model.classes_[0] if model.safe_label is None else None
    if isinstance(model, ood.DoubleScoreSelector): return {"model": ood.BoundedTPRFPR(.1, .9), "guarantee": False}.get(name, OTHER[name])
    return OTHER[name]


def learnable(rng, n, labels):
    """Atoms, and labels that a classifier can learn in part."""
    X = rows(ATOMS, rng.integers(0, len(ATOMS), n))
    cut = np.quantile(ATOMS @ SLOPE, np.linspace(0, 1, len(labels) + 1)[1:-1])
    return X, labels[np.searchsorted(cut, X @ SLOPE + rng.normal(size=n))]


def answers(model, X) -> dict:
    """Name of a method that needs X alone -> what it returns; what cannot be asked is left out."""
    found = {}
    for name in dir(model):
        if name.startswith(("_", "fit")) or not callable(getattr(model, name, None)): continue
        needed = [p.name for p in inspect.signature(getattr(model, name)).parameters.values() if p.default is p.empty and p.kind < 2]
        if needed != ["X"]: continue
        with contextlib.suppress(AttributeError, TypeError): found[name] = getattr(model, name)(X)
    return found


def fitted(name, rng, kind="text", n=400):
    """(a classifier at its defaults, labels, how to fit another alike)."""
    classes, make, how = MODELS[name]
    labels, seed = LABELS[kind][classes], int(rng.integers(2**31))
    X, y = learnable(rng, n, labels)

    def learn(model):
        np.random.seed(seed)                            # what random_state=None draws from
        return how(model, X, y)
    return learn(make()), labels, learn


def changed(name, rng, kind) -> list[str]:
    """Ways of asking, one after the other, in which answers differ, or labels that did not go in come out."""
    model, labels, learn = fitted(name, rng, kind)
    usual = answers(model, ATOMS)
    assert usual, f"{name} answers nothing"
    order = np.random.default_rng(1).permutation(len(ATOMS))

    def parts(size): return {m: joined([getattr(model, m)(ATOMS[i:i + size]) for i in range(0, len(ATOMS), size)]) for m in usual}

    def cloned():
        other = clone(model)
        for m in usual:
            with contextlib.suppress(NotFittedError):
                getattr(other, m)(ATOMS)
                return {}
        return answers(learn(other), ATOMS)

    def told():
        other = again(model)
        for key in other.get_params(deep=False): other.set_params(**{key: another(other, key)})
        return {m: getattr(other, m)(ATOMS) for m in usual}

    ways = {"row by row": lambda: parts(1), "in sevens": lambda: parts(7), "pickled": lambda: answers(again(model), ATOMS), "cloned": cloned,
            "parameters set": told, "in another order": lambda: {m: rows(v, np.argsort(order)) for m, v in answers(model, ATOMS[order]).items()},
            "41 times": lambda: {m: v[:len(ATOMS)] for m, v in answers(model, np.tile(ATOMS, (41, 1))).items()},
            "columns first": lambda: answers(model, np.asfortranarray(ATOMS)), "float32": lambda: answers(model, ATOMS.astype(np.float32)),
            "whole numbers": lambda: answers(model, ATOMS.astype(int))}
    found = []
    for way, ask in ways.items():
        try: other = ask()
        except Exception as error: found.append(f"{way}: {type(error).__name__}: {error}")   # noqa: BLE001
        else: found += [f"{way}: {m}" for m in usual if m not in other or not same(usual[m], other[m])]
    known = [*labels.tolist(), getattr(model, "reject_label_", None)]
    for label in np.asarray(usual.get("predict", [])).tolist():
        if not any(type(label) is type(one) and label == one for one in known): found.append(f"label {label!r}")
    return found
