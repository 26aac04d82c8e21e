"""What a person receives: every rule and every classifier asked row by row, at its defaults, after it was pickled and cloned.

The inputs are a few atoms, so that what `predict`, `answer` or `apply` returned for one row gives the exact risk or rate. Distributions lie at
their target: either every atom does (`FLAT`), or all atoms together (`RISING`), or the heaviest atom is the one at the border.
"""
import contextlib
import copy
import inspect
import io
import json
import pickle
import tempfile
import warnings
from functools import partial
from pathlib import Path

import numpy as np
from doors import ABOVE, Door, _first, _text, door
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from reject_nb import audit, bernstein, cli, mcsvm, ood, risk_control, sdr
from reject_nb.audit.table import read_file
from reject_nb.risk_control import certify
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

def first_group(X): return np.where(np.asarray(X)[:, 0] % 2 == 0, "even", "not even")


def second_group(X): return np.where(np.asarray(X)[:, 1] % 2 == 0, "even", "not even")


def stages(): return [("bayes", GaussianNB()), ("linear", LogisticRegression())]


def calibrated(model, X, y):
    model.fit(X[:120], y[:120]).calibrate(X[120:], y[120:], rule="scaling_unsafe", eps=.2, delta=.05)
    return model


def with_foreign(model, X, y): return model.fit(X, y, X[::2] + [0, 3, 0, 3, 0, 3])


def fit(model, X, y): return model.fit(X, y)


MODELS = {      # name -> classes, a classifier as a user makes it, how it is fitted
    "risk_control.CalibratedRegion": (2, risk_control.CalibratedRegion, fit),
    "risk_control.RegionPerClass": (3, risk_control.RegionPerClass, fit),
    "risk_control.SelectiveClassifier": (3, lambda: risk_control.SelectiveClassifier(model=BoundedImprovement(.3)), fit),
    "risk_control.SelectiveClassifier, groups": (3, lambda: risk_control.SelectiveClassifier(
        model=BoundedImprovement(.4), groups=first_group, delta=.2), fit),
    "risk_control.CascadeClassifier": (3, lambda: risk_control.CascadeClassifier(stages(), target=.3), fit),
    "sdr.SafeRegionClassifier": (2, sdr.SafeRegionClassifier, fit),
    "mcsvm.MultiCostSVC": (2, mcsvm.MultiCostSVC, calibrated),
    "ood.DoubleScoreSelector": (3, lambda: ood.DoubleScoreSelector(guarantee=True), with_foreign),
    "bernstein.RobustSVC": (2, bernstein.RobustSVC, fit),
}
NO_GUARANTEE = {("MultiCostSVC", "predict_region"): "guarantees nothing and reads the parameter eps, as its help says"}
OTHER = dict(   # another valid value of each parameter
    estimator=GaussianNB(), rule="conformal_unsafe", eps=.3, delta=.3, eps_safe=.4, calibration_share=.6, prefit=True, random_state=7, reference=.1,
    stages=stages()[:1], target=.9, costs=[2., 1.], capacity=[None, .1], coverage=.2, budget=3., reject_cost=2., calibration_size=.6, learn=.5,
    reject_label="?", uncertainty=risk_control.MarginScore(), model=BoundedAbstention(.2), guarantee="ltt", loss="absolute", bound=9., score_size=.2,
    groups=second_group, unit=second_group, n_candidates=9, family="exponential", p_safe=.9, class_weight="balanced", shrinkage=.5, probability=True, taus=[.1, .9], C=.01,
    eta=.5, kernel="rbf", degree=2, gamma=2., coef0=0., class_balanced=True, tol=1e-3, risk_score="mls", ood_score="msp", formulation="MM-S", max_iter=9,
    time_limit=1.)


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
        if name.startswith(("_", "fit")) or not inspect.ismethod(getattr(model, name, None)): continue
        if (type(model).__name__, name) in NO_GUARANTEE: continue
        needed = [p.name for p in inspect.signature(getattr(model, name)).parameters.values() if p.default is p.empty and p.kind < 2]
        if needed != ["X"]: continue
        with contextlib.suppress(AttributeError, TypeError, ValueError): found[name] = getattr(model, name)(X)
    return found


def fitted(name, rng, kind="text", n=400):
    """(a classifier at its defaults, labels, how to fit another alike)."""
    classes, make, how = MODELS[name]
    labels = LABELS[kind][classes]
    X, y = learnable(rng, n, labels)

    def learn(model): return how(model, X, y)
    np.random.seed(int(rng.integers(2**31)))            # random_state=None of scikit-learn
    return learn(make()), labels, learn


def changed(name, rng, kind) -> list[str]:
    """Ways of asking, one after the other, in which answers differ, or labels that did not go in come out."""
    model, labels, learn = fitted(name, rng, kind)
    usual = answers(model, ATOMS)
    assert {"predict", "accept"} & set(usual), f"{name} answers nothing"
    order = np.random.default_rng(1).permutation(len(ATOMS))

    def parts(size): return {m: joined([getattr(model, m)(ATOMS[i:i + size]) for i in range(0, len(ATOMS), size)]) for m in usual}

    def cloned():                                       # a split is the same only where a seed is
        seeded = {"random_state": 0} if "random_state" in model.get_params() else {}
        first = learn(clone(model).set_params(**seeded))
        second = clone(first)
        for m in usual:
            with contextlib.suppress(NotFittedError): return {m: getattr(second, m)(ATOMS)} and {}
        second, first = answers(learn(second), ATOMS), answers(first, ATOMS)
        return {m: v if same(first[m], second[m]) else None for m, v in usual.items()}

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
    if hasattr(model, "reject_label_"):
        X, y = learnable(np.random.default_rng(2), 50, labels)
        if abs(risk_control.make_selective_scorer("coverage")(model, X, y) - (model.predict(X) != model.reject_label_).mean()) > 1e-9:
            found.append("coverage of the scorer")
    for label in np.asarray(usual.get("predict", [])).tolist():
        if not any(type(label) is type(one) and label == one for one in known): found.append(f"label {label!r}")
    return found


# False sentences of classifiers: every atom alone ------------------------------------------------------------------------

def noise(rng, n, labels): return rows(ATOMS, rng.integers(0, len(ATOMS), n)), rng.choice(labels, n)


def asked_alone(model, X, method="predict"): return one_by_one(getattr(again(model), method), X)


def recalibrated(model, X, y, **how):
    """A classifier of other data with another certificate."""
    model = again(model)
    model.calibrate(X, y, **how)
    return model


OTHER_DATA = [learnable(np.random.default_rng(0), 200, WORDS[k]) for k in (2, 3)]
with warnings.catch_warnings():
    warnings.simplefilter("ignore")                     # a Gaussian does not fit whole numbers, and the fit says so
    RULE = risk_control.SelectiveClassifier(model=BoundedImprovement(2/3 - ABOVE), random_state=0).fit(*OTHER_DATA[1])
    REGION = sdr.SafeRegionClassifier(safe_label="yes", calibration_share=None).fit(*OTHER_DATA[0])
    SVC = mcsvm.MultiCostSVC(safe_label="yes").fit(*OTHER_DATA[0])
REGIONS = {     # name -> rows, classes, method, the classifier
    "risk_control.CalibratedRegion": (400, 2, "predict", lambda X, y: risk_control.CalibratedRegion(eps=.2, safe_label="yes").fit(X, y)),
    "risk_control.RegionPerClass": (600, 3, "predict_regions", lambda X, y: risk_control.RegionPerClass(eps=.2).fit(X, y)),
    "sdr.SafeRegionClassifier": (400, 2, "predict", lambda X, y: sdr.SafeRegionClassifier(eps=.2, safe_label="yes").fit(X, y)),
    "sdr.SafeRegionClassifier.calibrate": (300, 2, "predict", lambda X, y: recalibrated(REGION, X, y, eps=.2, delta=.05)),
    "mcsvm.MultiCostSVC.calibrate": (200, 2, "predict", lambda X, y: recalibrated(SVC, X, y, rule="scaling_unsafe", eps=.2, delta=.05)),
}
ANSWERING = {
    "risk_control.SelectiveClassifier": (1000, 3, "predict", lambda X, y: risk_control.SelectiveClassifier(model=RULE.model).fit(X, y)),
    "risk_control.SelectiveClassifier.calibrate": (300, 3, "predict", lambda X, y: recalibrated(RULE, X, y)),
    "risk_control.CascadeClassifier": (1000, 3, "predict", lambda X, y: risk_control.CascadeClassifier(stages(), target=2/3 - ABOVE).fit(X, y)),
}
for _name, (_n, _classes, _method, _make) in (REGIONS | ANSWERING).items():
    @received(_name, case="text labels are noise on 20 atoms, default delta", level=.05, cost=30 if _name in ANSWERING else 15)
    def _(rng, name=_name, n=_n, labels=WORDS[_classes], method=_method, make=_make):
        np.random.seed(int(rng.integers(2**31)))        # random_state=None of scikit-learn
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = asked_alone(make(*noise(rng, n, labels)), ATOMS, method)
        if name in ANSWERING: return bool((found != "reject").any())
        return bool(((found == "yes") if found.ndim == 1 else found).mean(0).max() > .2 + 1e-9)


OF_UNITS = {
    "SelectiveClassifier": lambda: risk_control.SelectiveClassifier(model=BoundedImprovement(.5 - ABOVE), delta=.1),
    "CascadeClassifier": lambda: risk_control.CascadeClassifier(stages(), target=.5 - ABOVE, delta=.1)}
for _name, _make in OF_UNITS.items():
    @received(f"risk_control.{_name}", f"risk_control.{_name}.predict", case="150 units of 1 to 9 rows share a text label that is noise", level=.1, cost=30)
    def _(rng, make=_make):
        np.random.seed(int(rng.integers(2**31)))
        unit = np.repeat(np.arange(150), rng.integers(1, 10, 150))
        X, y = noise(rng, len(unit), WORDS[2])[0], rng.choice(WORDS[2], 150)[unit]
        return bool((asked_alone(make().fit(X, y, unit=unit), ATOMS) != "reject").any())


@received("risk_control.CascadeClassifier.predict", case="text labels that can be learned, risk from what predict returns", level=.05, cost=30)
def _(rng):
    np.random.seed(int(rng.integers(2**31)))
    truth = WORDS[3][np.arange(len(ATOMS)) % 3]
    i = rng.integers(0, len(ATOMS), 1000)
    y = np.where(rng.random(1000) < .05, rng.choice(WORDS[3], 1000), truth[i])             # wrong in 1/30 where the truth is known
    model = risk_control.CascadeClassifier([("tree", DecisionTreeClassifier()), stages()[0]], target=.1).fit(ATOMS[i], y)
    found = asked_alone(model, ATOMS)
    right = np.where(found == truth, .05/3 + .95, np.where(np.isin(found, WORDS[3]), .05/3, 0.))
    return bool((1 - right)[found != "reject"].sum() > .1*(found != "reject").sum() + 1e-9)


@received("ood.DoubleScoreSelector", "ood.DoubleScoreSelector.accept", case="known and unknown inputs alike on 20 atoms", level=.05, cost=40)
def _(rng):
    X, y = noise(rng, 600, WORDS[3])
    model = ood.DoubleScoreSelector(LogisticRegression(), model=ood.BoundedTPRFPR(.3, .7), guarantee=True).fit(X, y, noise(rng, 300, WORDS[3])[0])
    rate = (asked_alone(model, ATOMS) != "reject").mean()
    return model.status_ == "certified" and not .3 - 1e-9 <= rate <= .7 + 1e-9


def two_atoms(rng):
    """A linear classifier of 20 features, and atoms in the order of its score, the first one the largest."""
    A = rng.normal(size=(3, 20))
    model = LogisticRegression().fit(rng.normal(size=(200, 20)), rng.choice(WORDS[2], 200))
    return model, A[np.argsort(-model.decision_function(A))]


@received("risk_control.CalibratedRegion", "risk_control.CalibratedRegion.predict", case="of the unsafe inputs 98 % are one atom, which is at the border", level=.01, cost=4)
def _(rng):
    model, A = two_atoms(rng)
    unsafe = rng.choice(2, 300, p=[.02, .98])
    X, y = np.vstack([A[unsafe], rng.normal(size=(300, 20))]), np.repeat(["no", "yes"], 300)
    region = risk_control.CalibratedRegion(model, eps=.1, delta=.01, prefit=True, safe_label="yes").fit(X, y)
    return bool((asked_alone(region, A[:2]) == "yes") @ [.02, .98] > .1)


@received("risk_control.SelectiveClassifier", "risk_control.SelectiveClassifier.predict", case="the atom at the border is right, the one before it is wrong in 30 %", level=.01, cost=10)
def _(rng):
    model, A = two_atoms(rng)
    A, p, wrong = A[np.argsort(-model.predict_proba(A).max(1))], [.3, .6, .1], np.array([.3, 0., 1.])
    i = rng.choice(3, 500, p=p)
    said = model.predict(A)
    y = np.where((rng.random(500) < wrong[i]) == (said[i] == "no"), "yes", "no")
    rule = risk_control.SelectiveClassifier(model, model=BoundedImprovement(.2), delta=.01, prefit=True).fit(A[i], y)
    on = asked_alone(rule, A, "accept")*p
    return bool(on @ wrong > .2*on.sum() + 1e-9)


@received("risk_control.SelectiveClassifier", "risk_control.make_selective_scorer", "risk_control.SelectiveClassifier.accept",
          case="text groups, groups replaced after the fit", level=.05, cost=10)
def _(rng):
    i = rng.integers(0, len(ATOMS), 600)
    even = first_group(ATOMS) == "even"
    y = np.where(even[i] & (rng.random(600) < .9), "no", rng.choice(WORDS[2], 600))         # wrong in .05 of one group, in .5 of the other
    np.random.seed(int(rng.integers(2**31)))
    rule = risk_control.SelectiveClassifier(_text, _first, model=BoundedImprovement(.1), prefit=True, groups=first_group).fit(ATOMS[i], y)
    on = asked_alone(rule.set_params(groups=second_group), ATOMS) == "no"
    return bool((on & ~even).any())



# Rules: 10 tied scores, exact in float32, asked one by one ----------------------------------------------------------------

PLACES = np.arange(10)/8
FLAT = np.full(10, .3 + ABOVE)
RISING = .6*np.arange(1, 11)/11 + ABOVE                      # all together .3, and less at each threshold before
NAMES = np.array(["a", "bcd"])


def broken(on, risk, target=.3) -> bool:
    """Whether the exact risk of what is answered is above the target."""
    return bool(np.any(on > 0)) and bool(on @ risk > target*np.sum(on) + 1e-10)


def sample(rng, n, risk):
    """Losses and scores."""
    i = rng.integers(0, 10, n)
    return (rng.random(n) < risk[i]).astype(float), PLACES[i]


for _law, _risk in {"flat": FLAT, "rising": RISING}.items():
    for _name in ("certified_risk", "ltt", "sgr", "certified_single_crossing"):
        if (_name, _law) == ("certified_single_crossing", "flat"): continue                  # in tests/doors.py, without ties

        @received(f"risk_control.{_name}", "risk_control.CertifiedSelection.__call__", "risk_control.SelectionFunction.__call__",
                  case=f"1,000 rows, 10 tied scores, {_law} risk", level=.1, cost=2)
        def _(rng, function=getattr(risk_control, _name), risk=_risk):
            return broken(asked(again(function(*sample(rng, 1000, risk), .3, .1)), PLACES), risk)

    @received("risk_control.certified_units", "risk_control.CertifiedSelection.__call__", case=f"1,000 rows of 200 units, 10 tied scores, {_law} risk", level=.1, cost=5)
    def _(rng, risk=_risk):
        units = rng.permutation(1000)//5
        return broken(asked(again(risk_control.certified_units(*sample(rng, 1000, risk), units, .3, .1)), PLACES), risk)

    @received("risk_control.certified_with_judge", "risk_control.CertifiedSelection.__call__", case=f"1,000 rows, half with human labels, 10 tied scores, {_law} risk", level=.1, cost=5)
    def _(rng, risk=_risk):
        lost, s = sample(rng, 1000, risk)
        cheap, marks = np.abs(lost - (rng.random(1000) < .02)), rng.random(1000) < .5
        return broken(asked(again(risk_control.certified_with_judge(np.where(marks, lost, np.nan), s, cheap, marks, .5, .3, .1)), PLACES), risk)

    for _together in (True, False):
        @received("risk_control.certified_groups", "risk_control.GroupedSelection.__call__", case=f"1,200 rows, text groups, together={_together}, {_law} risk", level=.1, cost=30)
        def _(rng, together=_together, risk=_risk):
            groups = rng.choice(NAMES, 1200)
            rule = again(risk_control.certified_groups(*sample(rng, 1200, risk), groups, .3, .1, together=together))
            on = [asked(rule, PLACES, np.full(10, g)) for g in NAMES[:1 + together]]
            return any(broken(one, risk) for one in on)

    @received("risk_control.certify", "risk_control.GroupedSelection.__call__", case=f"1,000 rows, text groups, default delta, {_law} risk", level=.05, cost=20)
    def _(rng, risk=_risk):
        groups = rng.choice(NAMES, 1000)
        rule = again(certify(BoundedImprovement(.3), *sample(rng, 1000, risk), groups=groups))
        return any(broken(asked(rule, PLACES, np.full(10, g)), risk) for g in NAMES)

    @received("risk_control.certified_under_shift", case=f"weights .5 and 1.5, default random_state, {_law} risk", level=.1, cost=20)
    def _(rng, risk=_risk):
        rule = risk_control.certified_under_shift(*sample(rng, 600, risk), rng.choice([.5, 1.5], 600), 1.5, .3, .1)
        return broken(asked(again(rule), PLACES), risk)

    @received("risk_control.certified_risks", "risk_control.CertifiedRisks.__call__", case=f"two risks, {_law}", level=.1, cost=4)
    def _(rng, risk=_risk):
        losses, scores = sample(rng, 600, risk)
        rule = risk_control.certified_risks({"a": losses, "b": 0*losses}, scores, {"a": .3, "b": .3}, .1)
        return broken(asked(again(rule), PLACES), risk)

    @received("ood.certify_targets", "ood.CertifiedOOD.accept", case=f"1,000 rows, 10 tied scores, {_law} risk", level=.1, cost=2)
    def _(rng, risk=_risk):
        rule = ood.certify_targets(*sample(rng, 1000, risk), np.zeros(1000, bool), target_risk=.3, delta=.1)
        return broken(asked(again(rule).accept, PLACES).astype(float), risk)

    @received("ood.certify_answers", "ood.CertifiedAnswers.accept", "ood.CertifiedAnswers.curve",
              case=f"1,000 rows, 10 tied scores, none foreign, {_law} risk", level=.1, cost=2)
    def _(rng, risk=_risk):
        rule = again(ood.certify_answers(*sample(rng, 1000, risk), np.zeros(1000, bool), .3, 0.))
        on = asked(rule.accept, PLACES).astype(float)
        return broken(on, risk) or broken(on, risk, rule.curve([0.])[1][0])

    for _how in (dict(looked=False), dict(unit=np.arange(1000) % 300), dict(max_rejected=.2), dict(per_group=True, looked=True), dict(max_rejected=.2, target_risk=None)):
        @received("audit.Audit.certify", "audit.Rule.decide", "audit.Rule.apply", "audit.Rule.load",
                  case=f"1,000 text labels, {', '.join(k if k == 'unit' else f'{k}={v}' for k, v in _how.items())}, {_law} risk", level=.1, cost=60 if "per_group" in _how else 20)
        def _(rng, how=_how, risk=_risk):
            found, groups = sample(rng, 1000, risk), rng.choice(NAMES, 1000)
            rule = audit.Audit(y_true=np.where(found[0] > 0, "no", "yes"), y_pred=np.full(1000, "yes"), scores=found[1],
                               groups=groups, unit=how.get("unit")).certify(**{"target_risk": .3, **{k: v for k, v in how.items() if k != "unit"}})
            with tempfile.TemporaryDirectory() as folder: rule = audit.Rule.load(rule.save(Path(folder)/"rule.json") and Path(folder)/"rule.json")
            names = NAMES if rule.thresholds is not None else NAMES[:1]
            on = [asked(lambda s, g: again(rule).decide(scores=s, groups=g if rule.thresholds else None), PLACES, np.full(10, g)) for g in names]
            table = [rule.apply({"scores": PLACES[k:k + 1], "g": np.array([g])}, scores="scores", group="g" if rule.thresholds else None)["accept"][0]
                     for g in names for k in range(10)]
            assert np.array_equal(np.concatenate(on), table), "apply and decide differ"
            return any(broken(one.astype(float), risk, rule.target_risk) for one in on)


@received("audit.CascadeAudit.certify", "audit.SystemRule.apply", "audit.SystemRule.load", "audit.SystemRule.outcomes_of",
          case="two stages, ten tied confidences, flat risk, 500 inputs asked one by one", level=.1, cost=200)
def _(rng):
    ten = np.arange(10)/10
    cells = {"q": np.repeat(np.arange(500), 2), "m": np.tile(["a", "b"], 500), "ok": (rng.random(1000) >= .3 + ABOVE).astype(int),
             "sure": rng.integers(0, 10, 1000)/10}
    rule = audit.CascadeAudit.from_long(cells, "q", "m", "ok", "sure", stages=["a", "b"]).certify(.3, .1)
    with tempfile.TemporaryDirectory() as folder: rule = audit.SystemRule.load(rule.save(Path(folder)/"rule.json") and Path(folder)/"rule.json")
    new = {"q": np.repeat(np.arange(10), 2), "m": np.tile(["a", "b"], 10), "sure": np.repeat(ten, 2)}
    on = rule.apply(new)["answered_by"] != ""
    assert all((rule.apply({k: v[2*i:2*i + 2] for k, v in new.items()})["answered_by"][0] != "") == on[i] for i in range(10))
    assert np.array_equal(rule.outcomes_of(new)[0], on)
    return bool(on.any())


@received("audit.Rule.decide", case="scores of 64 bits, asked in 16 bits: refused, or at most the target", level=.1, cost=12)
def _(rng):
    margin, grid = rng.uniform(0, 40, 500), np.linspace(0, 40, 401)
    rule = audit.Audit(losses=(rng.random(500) < .5*(margin < 24)).astype(float), scores=np.exp(-margin)).certify(.05, looked=False)
    try: on = again(rule).decide(scores=np.exp(-grid).astype(np.float16))
    except ValueError: return False
    return broken(on.astype(float), .5*(grid < 24), .05)


@received("risk_control.order_statistic", "risk_control.certify", case="coverage .7 on 10 tied scores", level=.05, cost=1)
def _(rng):
    rule = certify(BoundedAbstention(.7), np.zeros(500), PLACES[rng.integers(0, 10, 500)])
    return bool(asked(again(rule), PLACES).mean() < .7 - 1e-9)


@received("risk_control.order_statistic", case="at least .7 of 10 tied scores, the threshold alone", level=.05, cost=1)
def _(rng): return bool((PLACES <= risk_control.order_statistic(PLACES[rng.integers(0, 10, 500)], .7, .05).threshold).mean() < .7 - 1e-9)


@received("risk_control.conformal_risk", case="300 rows, 10 tied scores", level=0.)
def _(rng): return float(asked(again(risk_control.conformal_risk(*sample(rng, 300, FLAT + .2), .3)), PLACES) @ (FLAT + .2)/10 - .3)


@received("risk_control.calibrate_offset", "risk_control.Calibration", case="text labels, 20 tied scores, the offset alone", level=.05)
def _(rng):
    found = again(risk_control.calibrate_offset(rng.integers(0, 20, 200)/8, rng.choice(WORDS[2], 200), "scaling_unsafe", .1, .05, safe_label="yes"))
    return found.bias is not None and bool((np.arange(20)/8 < found.bias).mean() > .1 + 1e-9)


@received("bernstein.calibrate_bound", "bernstein.BoundCalibration.bound", "bernstein.BoundCalibration.accepts", case="1,000 bounds of three sizes", level=.05, cost=2)
def _(rng):
    sizes, share = np.array([.125, .25, .75]), np.array([.05, .3, .6])
    i = rng.integers(0, 3, 1000)
    rule = again(bernstein.calibrate_bound(sizes[i], rng.random(1000) < share[i], levels=(.2, .5)))
    return bool((asked(rule.bound, sizes) < share).any() or (asked(lambda s: rule.accepts(s, .3 - ABOVE), sizes) & (share > .2)).any())


# Cascades at the default seed ---------------------------------------------------------------------------------------------

GRID = np.array([[a, b] for a in PLACES[::2] for b in PLACES[::2]])                           # scores of two stages: 25 atoms


def says(word, column=None):
    """A stage: it answers with a word, and has a column as its score."""
    return lambda X: np.full(len(X), word) if column is None else (np.full(len(X), word), X[:, column])


def stage_of(rule, functions, scores):
    """The stage that answers each atom alone; `answer` and `stage` agree, and answers are words."""
    rule = again(rule)
    stage = asked(lambda X: rule.answer(functions, X)[1], GRID)
    said = asked(lambda X: rule.answer(functions, X)[0], GRID)
    assert list(said) == [None if k < 0 else ("small", "large")[k] for k in stage], f"answers {said.tolist()}"
    assert same(stage, asked(lambda X: rule.stage([X[:, 0], X[:, 1] if scores[1] is not None else None]), GRID))
    return stage


BOTH = [says("small", 0), says("large", 1)]
LEVEL = [.3 + ABOVE, .3 + ABOVE]
CASCADES = {    # case -> risks of the stages, and what is wanted
    "defaults, flat risk": (LEVEL, {}), "budget, flat risk": (LEVEL, dict(costs=[1, 10], budget=4)),
    "wanted coverage, flat risk": (LEVEL, dict(costs=[1, 10], coverage=.5)),
    "a menu of three, flat risk": (LEVEL, dict(also=[dict(target=.25), dict(capacity=[None, .5])])),
    "a capacity that the routes reach": ([.5, .1], dict(capacity=[None, .4])),
}
for _case, (_risks, _more) in CASCADES.items():
    for _n in (150, 1000):
        @received("risk_control.certify_cascade", "risk_control.CascadeRule.stage", "risk_control.CascadeRule.answer", "risk_control.CascadeRule.system_score",
                  case=f"{_case}, {_n} rows", level=.1, cost=30)
        def _(rng, risks=_risks, more=_more, n=_n):
            i = rng.integers(0, 25, n)
            losses = (rng.random((2, n)) < np.transpose([risks])).astype(float)
            rule = risk_control.certify_cascade(list(losses), list(GRID[i].T), target=.3, delta=.1, **more)
            false = False
            for one in (rule, *rule.others):
                asked(lambda X, one=one: one.system_score(list(X.T)), GRID)
                stage = stage_of(one, BOTH, [1, 1])
                limit = one.capacity[1]
                false |= broken((stage >= 0).astype(float), np.asarray(risks)[stage], one.target)
                false |= limit is not None and one.status != "infeasible" and _route(one, GRID) > limit + 1e-9
            return false


def _route(rule, X) -> float:
    """Share of the atoms for which the second stage is asked."""
    asked_for = []
    rule.answer([says("small", 0), lambda X: asked_for.append(len(X)) or (np.full(len(X), "large"), X[:, 1])], X)
    return sum(asked_for)/len(X)


@received("risk_control.certify_cascade", case="stated bound .105 of an expert, target .1, 601 rows", level=.1, cost=20)
def _(rng): return risk_control.certify_cascade([np.ones(601), .105], [rng.random(601), None], target=.1, delta=.1).coverage > 0


for _n in (150, 421, 1000):
    @received("risk_control.certify_cascade", case=f"stated bound of an expert just above the target, {_n} rows", level=.1, cost=20)
    def _(rng, n=_n):
        i = rng.integers(0, 25, n)
        rule = risk_control.certify_cascade([(rng.random(n) < .9).astype(float), .3 + ABOVE], [GRID[i, 0], None], target=.3, delta=.1)
        return bool((stage_of(rule, [says("small", 0), says("large")], [1, None]) >= 0).any())

    @received("risk_control.certify_cascade", "risk_control.CascadeRule.answer", case=f"half of the expert's answers recorded, functions with and without scores, {_n} rows", level=.1, cost=20)
    def _(rng, n=_n):
        i = rng.integers(0, 25, n)
        losses = (rng.random((2, n)) < [[.9], [.3 + ABOVE]]).astype(float)
        losses[1, rng.random(n) < .5] = np.nan
        rule = risk_control.certify_cascade(list(losses), list(GRID[i].T), target=.3, delta=.1)
        return bool((stage_of(rule, BOTH, [1, 1]) >= 0).any())


@received("risk_control.certify_cascade", case="an expert whose scores are infinite, and not recorded, in half of the rows: refused, or not asked there", level=.1, cost=20)
def _(rng):
    i, able = rng.integers(0, 25, 400), rng.random(400) < .5
    losses = [(rng.random(400) < .9).astype(float), np.where(able, rng.random(400) < .1, np.nan)]
    try: rule = risk_control.certify_cascade(losses, [GRID[i, 0], np.where(able, GRID[i, 1], np.inf)], target=.3, delta=.1)
    except ValueError: return False
    return bool((again(rule).stage([GRID[:, 0], np.full(25, np.inf)]) == 1).any())


# Boxes, means and second moments: the bound against all corners -------------------------------------------------------------

CORNERS = np.array(np.meshgrid(*[[0, 1]]*4)).reshape(4, -1).T                                # of four features


def two_points(rng, n, width=1.):
    """Points with two values per feature, (what is known, values, probabilities of the upper one)."""
    low = rng.normal(size=(n, 4))
    high, p = low + width*rng.exponential(size=(n, 4)), rng.random((n, 4))
    mean = low + p*(high - low)
    return bernstein.UncertainData(low, high, mean=mean, second_moment=p*high**2 + (1 - p)*low**2), low, high, p


def other_side(w, b, low, high, p, side):
    """Exact probability that each point is on the other side of the plane."""
    value = np.where(CORNERS, high[:, None], low[:, None]) @ w + b
    return (np.where(CORNERS, p[:, None], 1 - p[:, None]).prod(2)*(value*side[:, None] < 0)).sum(1)


@received("bernstein.certify_linear", case="products of two-point distributions", level=0., cost=40)
def _(rng):
    data, low, high, p = two_points(rng, 3)
    w, b, side = rng.normal(size=4), rng.normal(), rng.choice([-1., 1.], 3)
    bound = one_by_one(lambda at, s: bernstein.certify_linear(w, b, data[at], s), np.arange(3), side)
    assert same(bound, bernstein.certify_linear(w, b, data, side))
    return bool((other_side(w, b, low, high, p, side) > bound + 1e-9).any())


FITTED = two_points(np.random.default_rng(0), 40, .1)
ROBUST = bernstein.RobustSVC().fit(FITTED[0], WORDS[2][(FITTED[1][:, 0] > 0).astype(int)])


@received("bernstein.RobustSVC", "bernstein.RobustSVC.misclassification_bound", case="text labels, products of two-point distributions", level=0., cost=4)
def _(rng):
    data, low, high, p = two_points(rng, 8)
    model = again(ROBUST)
    said = one_by_one(lambda at: model.predict(data[at]), np.arange(8))
    bound = one_by_one(lambda at: model.misclassification_bound(data[at]), np.arange(8))
    assert same(said, model.predict(data)) and same(bound, model.misclassification_bound(data)) and set(said) <= set(WORDS[2])
    wrong = other_side(np.ravel(model.coef_), float(np.ravel(model.intercept_)[0]), low, high, p, np.where(said == "yes", 1., -1.))
    return bool((wrong > bound + 1e-9).any())


# The monitor, fed with tables ---------------------------------------------------------------------------------------------

WATCHED = {groups: audit.Audit(y_true=np.repeat(WORDS[2], [10, 190]), y_pred=np.full(200, "yes"), scores=np.arange(200)[::-1]/256,
                               groups=np.tile(NAMES, 100)).certify(target_risk=.3, looked=False, per_group=groups) for groups in (False, True)}


def months(rng, n, risk=.3):
    """Six tables of text labels, each row with a name, its group and its score."""
    for k in range(6):
        wrong = rng.random(n) < risk
        yield {"id": [f"{k}/{i}" for i in range(n)], "y": np.where(wrong, "no", "yes").astype(object), "said": np.full(n, "yes"),
               "s": rng.integers(0, 100, n)/256, "g": rng.choice(NAMES, n)}


def both(a, b): return {k: np.r_[a[k], b[k]] for k in a}


def picked(table, on): return {k: np.asarray(v)[on] for k, v in table.items()}


def growing(tables):
    sent = next(tables)
    yield sent
    for t in tables: yield (sent := both(sent, t))


def late(tables, who):
    """Some rows come first without a label, and two tables later with it."""
    waiting = [None, None]
    for t in tables:
        later, due = who(t), waiting.pop(0)
        waiting.append(picked(t, later))
        now = {**t, "y": np.where(later, None, t["y"])}
        yield now if due is None else both(now, due)
    yield from waiting


FEEDS = {"fresh rows": iter, "each table twice": lambda tables: (t for t in tables for _ in (1, 2)), "a growing file": growing,
         "labels of half of the rows come later": lambda tables: late(tables, lambda t: np.arange(len(t["y"])) % 2 == 0),
         "right ones come later": lambda tables: late(tables, lambda t: t["y"] == "yes"), "wrong ones come later": lambda tables: late(tables, lambda t: t["y"] == "no")}
for _case, _feed in FEEDS.items():
    for _groups in (False, True):
        if _groups and _feed is not iter: continue

        @received("audit.RuleMonitor", "audit.RuleMonitor.update_table", "audit.RuleMonitor.load",
                  case=f"tables with names of rows, {_case}{', two groups' if _groups else ''}, saved after each", level=.1, cost=60)
        def _(rng, feed=_feed, groups=_groups):
            rule, names, alarm = WATCHED[groups], set(), False
            monitor = audit.RuleMonitor(rule, .1)
            with tempfile.TemporaryDirectory() as folder:
                for table in feed(months(rng, 80)):
                    monitor.update_table(table, id="id", label="y", prediction="said", scores="s", **({"group": "g"} if groups else {}))
                    monitor = audit.RuleMonitor.load(monitor.save(Path(folder)/"m.json") and Path(folder)/"m.json", rule)
                    names |= set(table["id"])
                    alarm |= monitor.alarm and "assumes" not in monitor.statement
            return alarm or monitor.n > len(names)                # it says on how many outcomes it rests


WHOLE = audit.Audit(y_true=np.repeat(WORDS[2], [10, 190]), y_pred=np.full(200, "yes"), scores=np.arange(200)[::-1]/256,
                    unit=np.arange(200)//2).certify(target_risk=.3)


@received("audit.RuleMonitor", "audit.RuleMonitor.update_table", "audit.RuleMonitor.load",
          case="tables of 40 units whose rows are all right or all wrong, some without a label, saved after each", level=.1, cost=60)
def _(rng):
    monitor = audit.RuleMonitor(WHOLE, .1)
    with tempfile.TemporaryDirectory() as folder:
        for k in range(6):
            unit = np.repeat(np.arange(40), rng.integers(1, 9, 40))
            wrong = (rng.random(40) < .3)[unit]
            y = np.where(rng.random(len(unit)) < .1*~wrong, None, np.where(wrong, "no", "yes"))
            monitor.update_table({"y": y, "said": np.full(len(unit), "yes"), "s": np.zeros(len(unit)), "who": [f"{k}/{u}" for u in unit]},
                                 label="y", prediction="said", scores="s", unit="who")
            monitor = audit.RuleMonitor.load(monitor.save(Path(folder)/"m.json") and Path(folder)/"m.json", WHOLE)
    return monitor.alarm


@received("risk_control.RiskMonitor", "risk_control.RiskMonitor.update", case="outcome by outcome, 300 at the target", level=.05, cost=30)
def _(rng):
    monitor = risk_control.RiskMonitor(.2)
    for loss in (rng.random(300) < .2).astype(float): monitor = again(monitor).update([loss]) if loss else monitor.update([loss])
    return monitor.alarm


@received("risk_control.RiskMonitor.complete", case="wrong outcomes at once, right ones later, 300 at the target", level=.05, cost=30)
def _(rng):
    monitor, wrong = risk_control.RiskMonitor(.2), rng.random(300) < .2
    for k in range(6):
        monitor.update(wrong[50*k:50*k + 50].astype(float), ~wrong[50*k:50*k + 50])
        if k > 2: again(monitor).complete(np.flatnonzero(~wrong[50*k - 150:50*k - 100]) + 50*k - 150, np.zeros((~wrong[50*k - 150:50*k - 100]).sum()))
    return monitor.alarm


@received("risk_control.InputMonitor", "risk_control.InputMonitor.update", "risk_control.score_reference", case="input by input, 200 of two groups after 100",
          level=.05, cost=30)
def _(rng):
    x, g = rng.integers(0, 9, 300)/8, rng.choice(NAMES, 300)
    monitor = risk_control.InputMonitor(json.loads(json.dumps(risk_control.score_reference(x[:100], g[:100]))))
    for k in range(100, 300): monitor = again(monitor).update(x[k:k + 1], g[k:k + 1])
    return monitor.alarm


# The command line, from file to file --------------------------------------------------------------------------------------

def typed(*words):
    """Exit status of a command."""
    with contextlib.redirect_stdout(io.StringIO()): return cli.main([str(w) for w in words])


@received("reject-nb audit", "reject-nb apply", "reject-nb monitor", case="files of text labels, flat risk, rows applied alone, a file a month", level=.1, cost=300)
def _(rng):
    losses, scores = sample(rng, 300, FLAT)
    roles = "--label", "y", "--prediction", "said", "--scores", "s"
    with tempfile.TemporaryDirectory() as folder:
        at = Path(folder)
        audit.Table({"y": np.where(losses > 0, "no", "yes"), "said": np.full(300, "yes"), "s": scores}).to_csv(at/"a.csv")
        assert typed("audit", at/"a.csv", *roles, "--target-risk", .3, "--out", at) == 0
        audit.Table({"s": PLACES}).to_csv(at/"all.csv")
        assert typed("apply", at/"rule.json", at/"all.csv", "--out", at/"all_out.csv") == 0
        together, alone = read_file(at/"all_out.csv")["accept"].to_pylist(), []
        for k in (0, 4, 9):
            audit.Table({"s": PLACES[k:k + 1]}).to_csv(at/"one.csv")
            assert typed("apply", at/"rule.json", at/"one.csv", "--out", at/"one_out.csv") == 0
            alone += read_file(at/"one_out.csv")["accept"].to_pylist()
        assert alone == [together[k] for k in (0, 4, 9)]
        if "True" in together: return True
        WATCHED[False].save(at/"watched.json")
        alarm = False
        for t in months(rng, 30):
            audit.Table(t).to_csv(at/"month.csv")
            alarm |= typed("monitor", at/"watched.json", at/"month.csv", *roles, "--id", "id", "--state", at/"state.json", "--delta", .1) == cli.ALARM
        return alarm


# What states a guarantee and answers for no input, each with the reason -----------------------------------------------------

_TABLE = "a table or a page, which tests/doors.py reads"
_MADE = "a rule that accepts everything or nothing, for other procedures"
NOT_RECEIVED = {
    "audit.Audit.frontier": _TABLE, "audit.Audit.plot": _TABLE, "audit.Audit.risk_band": _TABLE, "audit.Audit.to_html": _TABLE,
    "audit.CascadeAudit.to_html": _TABLE, "audit.SystemRule.menu": "what is said of the rules that apply asks", "audit.SystemRule.stages": _TABLE,
    "audit.SystemRule.save": "writes the file that the trial of a system reads", "audit.SystemRule.to_dict": "what save writes",
    "audit.Rule.curve": "a table of what decide answers, which tests/doors.py reads", "audit.Rule.save": "writes the file that every trial of a rule reads", "audit.Rule.to_dict": "what save writes",
    "risk_control.CascadeRule.menu": "what is said of the rules whose stages are asked",
    "risk_control.CascadeRule.to_dict": "the rule as plain data, compared in 13_cascade", "risk_control.CascadeRule.of_dict": "the same read back",
    **{f"risk_control.{kind}.{made}": _MADE for kind in ("CertifiedSelection", "CertifiedRisks") for made in ("accept_all", "reject_all")},
    "bernstein.RobustSVC.predict_proba": "its help says that it has no guarantee",
    "mcsvm.MultiCostSVC.predict_region": "its help says that it has no guarantee unless it is calibrated",
    "gpc.RangeResult": "a proof about a box, with certainty and not with probability: tested in nbs/gpc",
    "sdr.SafeDecisionRegion.posterior": "a probability under distributions that are given",
}
