"""Every door that states a guarantee, with distributions whose risk lies exactly at the target and inputs that break doors.

A trial draws data from a known distribution, goes through a door, and says whether the sentence that comes back is false (for a guarantee with
probability 1 - delta) or by how much the risk is above its level (for a guarantee in expectation). If the risk is the same everywhere and lies
above the target by `ABOVE`, every sentence about an answered input is false.
"""
import contextlib
import io
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB

from reject_nb import audit, bernstein, cli, mcsvm, ood, risk_control, sdr
from reject_nb.risk_control import SelectiveClassifier, certify, make_selective_scorer
from reject_nb.strategies import BoundedAbstention, BoundedImprovement

ABOVE = 1e-9        # so little is a risk above its target that no sample can tell


@dataclass(frozen=True, kw_only=True)
class Door:
    """One line of the table."""
    names:tuple[str, ...]   # public names behind the door
    case:str                # distribution and input
    level:float             # delta; 0 for a guarantee in expectation
    trial:Callable          # generator -> whether the sentence is false, or the excess of the risk
    cost:int = 1            # how many trials of the quickest door one of these takes


DOORS:list[Door] = []


def door(*names, case, level, cost=1, table=DOORS):
    """Enter a trial into a table."""
    def enter(trial):
        table.append(Door(names=names, case=case, level=level, trial=trial, cost=cost))
        return trial
    return enter


# Scores -------------------------------------------------------------------------------------------------------------

def _float32(rng, n):
    """log(1 - p) of a float32 network: -inf where p is printed as 1, and many ties."""
    with np.errstate(divide="ignore"): return np.log(1 - (1/(1 + np.exp(-rng.normal(8, 9, n)))).astype(np.float32))


SCORES = {
    "distinct scores": lambda rng, n: rng.random(n),
    "three tied scores": lambda rng, n: rng.integers(0, 3, n)/10,
    "infinite scores": lambda rng, n: rng.choice([-np.inf, 0., 1., np.inf], n),
    "float32 scores, -inf among them": _float32,
}
NEW = np.r_[-np.inf, -100., np.linspace(-20, 20, 81), np.linspace(0, 1, 101), np.inf]   # scores of new inputs


def flat(rng, n, risk):
    """Losses whose mean is a little above the target, whatever the score."""
    return (rng.random(n) < risk + ABOVE).astype(float)


def answers(selection, scores) -> bool:
    """Whether new inputs, or those of the sample, are answered."""
    return bool(np.asarray(selection(np.r_[NEW, scores])).max() > 0)


# Arrays -------------------------------------------------------------------------------------------------------------

for _name in ("certified_risk", "ltt", "sgr"):
    for _case, _draw in SCORES.items():
        @door(f"risk_control.{_name}", case=_case, level=.1)
        def _(rng, function=getattr(risk_control, _name), draw=_draw):
            scores = draw(rng, 60)
            return answers(function(flat(rng, 60, .3), scores, .3, .1), scores)


@door("risk_control.certified_single_crossing", case="distinct scores", level=.1)
def _(rng):
    scores = rng.random(60)
    return answers(risk_control.certified_single_crossing(flat(rng, 60, .3), scores, .3, .1), scores)


@door("risk_control.certified_risk", case="a loss of 10 with probability .01, seldom in the sample", level=.1)
def _(rng):
    losses = 10*flat(rng, 60, .01)
    return answers(risk_control.certified_risk(losses, rng.random(60), .1, .1, bound=10.), [])


@door("risk_control.ltt", case="thresholds fixed in advance", level=.1)
def _(rng):
    scores = rng.random(60)
    return answers(risk_control.ltt(flat(rng, 60, .3), scores, .3, .1, thresholds=[.25, .5, 1.]), [])


for _case, _draw in SCORES.items():
    @door("risk_control.certify", case=f"risk in two groups, {_case}", level=.1)
    def _(rng, draw=_draw):
        scores, groups = draw(rng, 120), rng.integers(0, 2, 120)
        found = certify(BoundedImprovement(.3), flat(rng, 120, .3), scores, delta=.1, groups=groups)
        return bool(found(np.tile(NEW, 2), np.repeat([0, 1], len(NEW))).max() > 0 or found(scores, groups).max() > 0)


@door("risk_control.certify", "risk_control.certified_under_shift", case="weights .5 and 1.5", level=.1)
def _(rng):
    scores, weights = rng.random(90), rng.choice([.5, 1.5], 90)
    losses = flat(rng, 90, .3)
    found = certify(BoundedImprovement(.3), losses, scores, delta=.1, weights=weights, weight_bound=1.5)
    return answers(found, scores)


@door("risk_control.certified_under_shift", case="weights wrong by 1.2 in the worst way", level=.1)
def _(rng):
    # the new risk is .3 because inputs with losses are 1.2 times, the others 1/1.2 times as frequent as the weights say
    old = .3*1.2/(.3*1.2 + .7/1.2)
    share = (.3/1.2)/(.3/1.2 + .7*1.2)
    losses, scores = (rng.random(90) < share + ABOVE).astype(float), rng.random(90)
    assert share < .3 < old
    found = risk_control.certified_under_shift(losses, scores, np.ones(90), 1.2, .3, .1, wrong_by=1.2,
                                               random_state=int(rng.integers(2**31)))
    return answers(found, scores)


@door("risk_control.certified_units", case="120 units of 1 to 5 rows that are all alike", level=.1)
def _(rng):
    unit = np.repeat(np.arange(120), rng.integers(1, 6, 120))
    losses, scores = flat(rng, 120, .3)[unit], rng.random(len(unit))
    return answers(risk_control.certified_units(losses, scores, unit, .3, .1), scores)


@door("risk_control.units_agree", case="losses in random order, p-value at most .1", level=.1)
def _(rng): return risk_control.units_agree(rng.random(60) < .2, np.arange(60) % 12).p_value <= .1


for _judge in ("never wrong", "always wrong", "wrong in .02"):
    @door("risk_control.certified_with_judge", case=f"600 rows, 300 human labels, a judge who says {_judge}", level=.1, cost=3)
    def _(rng, judge=_judge):
        losses, scores, marks = flat(rng, 600, .3), rng.random(600), rng.random(600) < .5
        cheap = {"never wrong": 0*losses, "always wrong": 0*losses + 1}.get(judge, np.abs(losses - (rng.random(600) < .02)))
        return answers(risk_control.certified_with_judge(losses, scores, cheap, marks, .5, .3, .1), scores)


for _together in (True, False):
    @door("risk_control.certified_groups", case=f"ten groups, together={_together}", level=.1)
    def _(rng, together=_together):
        scores, groups = rng.random(300), np.arange(300) % 10
        found = risk_control.certified_groups(flat(rng, 300, .3), scores, groups, .3, .1, together=together)
        on = found(scores, groups) > 0
        return bool(on.any() if together else on[groups == 0].any())


@door("risk_control.certified_risks", case="two risks, one at its target", level=.1)
def _(rng):
    scores = rng.random(80)
    found = risk_control.certified_risks({"a": flat(rng, 80, .3), "b": flat(rng, 80, .1)}, scores, {"a": .3, "b": .3}, .1)
    return bool(found.threshold >= scores.min())


for _case, _draw in SCORES.items():
    @door("risk_control.order_statistic", "risk_control.certify", case=f"coverage of {_case}", level=.1)
    def _(rng, draw=_draw):
        # the true coverage from 20,000 new scores; a sentence is false only if they are below it by 4 standard deviations
        found = certify(BoundedAbstention(.7), np.zeros(60), draw(rng, 60), delta=.1)
        return bool(found(draw(rng, 20_000)).mean() < .7 - 4*np.sqrt(.21/20_000))


for _side in ("at least", "at most"):
    @door("risk_control.order_statistic", case=f"{_side} .7 of uniform scores", level=.1)
    def _(rng, side=_side):
        found = risk_control.order_statistic(rng.random(60), .7, .1, side)
        rate = min(max(found.threshold, 0.), 1.)
        return rate < .7 if side == "at least" else rate > .7


for _case, _draw in SCORES.items():
    @door("risk_control.conformal_risk", case=_case, level=0.)
    def _(rng, draw=_draw):
        scores = draw(rng, 61)
        losses = flat(rng, 61, .5)
        found = risk_control.conformal_risk(losses[:60], scores[:60], .3)
        return float(losses[60]*(found(scores[60:])[0] > 0) - .3)


@door("risk_control.RiskMonitor", case="500 outcomes exactly at the target", level=.1)
def _(rng):
    return risk_control.RiskMonitor(.2, .1, 500).update((rng.random(500) < .2).astype(float)).alarm


@door("risk_control.RiskMonitor", case="500 outcomes exactly at the target, wrong ones known at once, right ones never", level=.1)
def _(rng):
    wrong = rng.random(500) < .2
    return risk_control.RiskMonitor(.2, .1, 500).update(wrong.astype(float), ~wrong).alarm


for _case, _draw in SCORES.items():
    @door("risk_control.InputMonitor", "risk_control.score_reference", case=f"100 certifying, 500 new inputs, {_case}", level=.1)
    def _(rng, draw=_draw):
        x = draw(rng, 600)
        reference = risk_control.score_reference(x[:100])
        return bool(reference) and risk_control.InputMonitor(reference, .1, 500).update(x[100:]).alarm


for _case, _draw in SCORES.items():
    @door("risk_control.certify_cascade", case=f"two stages, {_case}", level=.1, cost=6)
    def _(rng, draw=_draw):
        scores = [draw(rng, 90), draw(rng, 90)]
        rule = risk_control.certify_cascade([flat(rng, 90, .3), flat(rng, 90, .3)], scores, target=.3, delta=.1,
                                            random_state=int(rng.integers(2**31)))
        new = np.array([[a, b] for a in NEW[::9] for b in NEW[::9]]).T
        return bool((rule.stage(new) >= 0).any() or (rule.stage(np.array(scores)) >= 0).any())


@door("risk_control.CascadeClassifier", case="fitted classifiers, labels that nothing predicts", level=.1, cost=25)
def _(rng):
    X = rng.normal(size=(160, 2))
    y = rng.integers(0, 2, 160)
    seed = int(rng.integers(2**31))
    stages = [("bayes", GaussianNB().fit(X, y)), ("forest", RandomForestClassifier(5, random_state=seed).fit(X, y))]
    clf = risk_control.CascadeClassifier(stages, target=.5 - ABOVE, delta=.1, calibration_size=.6, random_state=seed).fit(X, y)
    return bool((clf.predict_stage(rng.normal(size=(200, 2))) >= 0).any())


@door("risk_control.certify_cascade", case="two stages, 120 units of 1 to 5 rows that are all alike", level=.1, cost=6)
def _(rng):
    unit = np.repeat(np.arange(120), rng.integers(1, 6, 120))
    scores = rng.random((2, len(unit)))
    rule = risk_control.certify_cascade([flat(rng, 120, .3)[unit], flat(rng, 120, .3)[unit]], list(scores), target=.3, delta=.1, unit=unit)
    return bool((rule.stage(list(scores)) >= 0).any())


# Rates --------------------------------------------------------------------------------------------------------------

UNSAFE = {
    "distinct scores": (lambda rng, n: rng.random(n), lambda b: min(max(b, 0.), 1.)),
    "three tied scores": (lambda rng, n: rng.integers(0, 3, n)/10, lambda b: np.mean(np.array([0., .1, .2]) < b)),
    "infinite scores": (lambda rng, n: np.where(rng.random(n) < .15, -np.inf, rng.random(n)),
                        lambda b: .15*(b > -np.inf) + .85*min(max(b, 0.), 1.)),
}
for _case, (_draw, _cdf) in UNSAFE.items():
    for _rule in ("scaling_unsafe", "probabilistic_scaling", "both_rates"):
        if _rule == "both_rates" and "infinite" in _case: continue            # refused: it computes with scores

        @door("risk_control.calibrate_offset", case=f"{_rule}, {_case}", level=.1)
        def _(rng, rule=_rule, draw=_draw, cdf=_cdf):
            y = np.where(rng.random(120) < .3, 1, -1)
            scores = np.where(y > 0, draw(rng, 120) - .5, draw(rng, 120))
            found = risk_control.calibrate_offset(scores, y, rule, .2, .1, eps_safe=.6)
            if found.bias is None: return False
            unsafe = cdf(found.bias)*(.7 if rule == "probabilistic_scaling" else 1.)
            return bool(unsafe > .2 or rule == "both_rates" and 1 - cdf(found.bias + .5) > .6)

    for _rule in ("conformal_unsafe", "conformal"):
        if _rule == "conformal" and "infinite" in _case: continue

        @door("risk_control.calibrate_offset", case=f"{_rule}, {_case}", level=0.)
        def _(rng, rule=_rule, draw=_draw, cdf=_cdf):
            y = np.where(rng.random(120) < .3, 1, -1)
            scores = np.where(y > 0, draw(rng, 120) - .5, draw(rng, 120))
            found = risk_control.calibrate_offset(scores, y, rule, .2, reference=.9 if rule == "conformal" else 0.)
            return float((0. if found.bias is None else cdf(found.bias)*(.7 if rule == "conformal" else 1.)) - .2)


# Estimators: y is independent of X, so no classifier knows anything, and rates are exact on the values that X takes ------

PLACES = np.linspace(-1, 1, 41)[:, None]


def _noise(rng, n, labels):
    return PLACES[rng.integers(0, 41, n)], rng.choice(labels, n)


FITTED = {"a forest that is fitted already": lambda X, y: RandomForestClassifier(3, random_state=0).fit(X, y),
          "a classifier to be fitted": lambda X, y: LogisticRegression()}
for _case, _make in FITTED.items():
    @door("risk_control.CalibratedRegion", case=f"{_case}, text labels", level=.1, cost=60)
    def _(rng, make=_make):
        X, y = _noise(rng, 120, ["safe", "unsafe"])
        model = risk_control.CalibratedRegion(make(X, y), eps=.2, delta=.1, safe_label="safe",
                                              random_state=int(rng.integers(2**31))).fit(X, y)
        return bool((model.predict(PLACES) == "safe").mean() > .2)

    @door("risk_control.RegionPerClass", case=f"{_case}, three classes", level=.1, cost=60)
    def _(rng, make=_make):
        X, y = _noise(rng, 200, [0, 1, 2])
        model = risk_control.RegionPerClass(make(X, y), eps=.2, delta=.1, random_state=int(rng.integers(2**31))).fit(X, y)
        return bool((model.predict_regions(PLACES).mean(0) > .2).any())

    @door("risk_control.SelectiveClassifier", case=f"{_case}, labels are noise", level=.1, cost=60)
    def _(rng, make=_make):
        X, y = _noise(rng, 200, [0, 1])
        model = SelectiveClassifier(make(X, y), model=BoundedImprovement(.5 - ABOVE), delta=.1,
                                    random_state=int(rng.integers(2**31))).fit(X, y)
        return bool(model.accept(PLACES).any())


@door("risk_control.SelectiveClassifier", case="the most frequent of 50 classes, half of the rows calibrate", level=.1, cost=6)
def _(rng):
    X, y = rng.normal(size=(2000, 1)), rng.integers(0, 50, 2000)
    model = SelectiveClassifier(DummyClassifier(strategy="most_frequent"), _first, BoundedImprovement(.98 - ABOVE), delta=.1,
                                calibration_size=.5, random_state=int(rng.integers(2**31))).fit(X, y)
    return bool(model.accept(X).any())


@door("risk_control.SelectiveClassifier", "risk_control.SelectiveClassifier.calibrate", case="units of 1 to 5 rows share a label that is noise, certified twice", level=.1,
      cost=30)
def _(rng):
    def draw():
        unit = np.repeat(np.arange(100), rng.integers(1, 6, 100))
        return PLACES[rng.integers(0, 41, len(unit))], rng.integers(0, 2, 100)[unit], unit
    X, y, unit = draw()
    model = SelectiveClassifier(LogisticRegression(), model=BoundedImprovement(.5 - ABOVE), delta=.05, random_state=int(rng.integers(2**31))).fit(X, y, unit=unit)
    first = model.accept(PLACES).any()
    X, y, unit = draw()
    return bool(first or model.calibrate(X, y, unit=unit).accept(PLACES).any())


def _first(X): return X[:, 0]


def _zero(X): return np.zeros(len(X), int)


def _text(X): return np.full(len(X), "no")


for _case, _answer, _labels, _more in (
        ("text labels", _text, ("no", "yes"), {}),
        ("matrix with a largest loss of 10, bound from the matrix", _zero, (0, 1), dict(loss=[[0, 10], [1, 0]])),
        ("absolute loss 10 with probability .01, bound given", _zero, (0, 10), dict(loss="absolute", bound=10.)),
        ("function as loss, bound given", _zero, (0, 10), dict(loss=lambda y, p: np.abs(y - p), bound=10.))):
    @door("risk_control.SelectiveClassifier", "risk_control.SelectiveClassifier.calibrate", case=_case, level=.1, cost=5)
    def _(rng, answer=_answer, labels=_labels, more=_more):
        share = .3 if not more or isinstance(more["loss"], list) else .01
        size = 1. if not more or isinstance(more["loss"], list) else 10.
        draw = lambda n: (rng.random((n, 1)), np.asarray(labels)[(rng.random(n) < share + ABOVE).astype(int)])
        X, y = draw(60)
        y[:2] = labels                                     # both labels are known to the fit, not to the threshold
        model = SelectiveClassifier(answer, _first, BoundedImprovement(share*size), delta=.1, prefit=True, **more).fit(X, y)
        return bool(model.calibrate(*draw(60)).accept(X).any())


@door("risk_control.SelectiveClassifier", "risk_control.make_selective_scorer",
      case="a search over 10 scores that are noise, n_candidates=10", level=.1, cost=600)
def _(rng):
    X, y = rng.random((150, 10)), (rng.random(150) < .3 + ABOVE).astype(int)
    rule = SelectiveClassifier(_zero, None, BoundedImprovement(.3), delta=.1, n_candidates=10)
    search = GridSearchCV(rule, {"uncertainty": [_Column(k) for k in range(10)]}, cv=2,
                          scoring=make_selective_scorer("coverage"), refit=True).fit(X, y)
    return bool(search.best_estimator_.accept(X).any())


class _Column:
    """A column as a score; equal to itself after copying."""
    def __init__(self, k): self.k = k

    def __call__(self, X): return X[:, self.k]

    def __deepcopy__(self, memo): return self


# Papers -------------------------------------------------------------------------------------------------------------

SDR = sdr.SafeRegionClassifier(family="exponential", calibration_share=None).fit([[1.], [2.], [3.], [6.], [9.], [12.]], [1, 1, 1, 0, 0, 0])
MC = mcsvm.MultiCostSVC(safe_label=1).fit(np.r_[PLACES - 1, PLACES + 1], np.repeat([1, 0], 41))


@door("sdr.SafeRegionClassifier.calibrate", case="unsafe points uniform on (0, 10), another distribution than the fitted one", level=.1, cost=4)
def _(rng):
    SDR.calibrate(10*rng.random((60, 1)), np.zeros(60), eps=.2, delta=.1)
    return bool(SDR.predict(np.linspace(.0005, 9.9995, 10_000)[:, None]).mean() > .2 + 1e-4)


@door("sdr.SafeRegionClassifier", case="a default fit, labels are noise", level=.1, cost=60)
def _(rng):
    X, y = _noise(rng, 160, [0, 1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")                 # the fitted distributions are wrong, and the fit says so
        model = sdr.SafeRegionClassifier(eps=.2, delta=.1, random_state=int(rng.integers(2**31))).fit(X, y)
    return model.calibration_ is not None and bool(model.predict(PLACES).mean() > .2)


@door("mcsvm.MultiCostSVC.calibrate", case="unsafe points uniform on 41 places", level=.1, cost=4)
def _(rng):
    X = np.linspace(-2, 2, 41)[rng.integers(0, 41, 80)][:, None]
    found = MC.calibrate(X, np.r_[1, np.zeros(79)].astype(int), rule="scaling_unsafe", eps=.2, delta=.1)
    return found.bias is not None and bool((MC.predict(np.linspace(-2, 2, 41)[:, None]) == 1).mean() > .2)


@door("bernstein.calibrate_bound", case="two groups of bounds, each wrong as often as its limit says", level=.1)
def _(rng):
    bounds = np.repeat([.02, .5], 30)
    upper = bernstein.calibrate_bound(bounds, rng.random(60) < np.repeat([.1, .4], 30), .1, levels=(.1,)).upper
    return bool((upper < [.1, .4]).any())


@door("ood.certify_targets", case="TPR and FPR of uniform scores", level=.1)
def _(rng):
    s, is_ood = np.r_[rng.random(60), rng.random(60) + .5], np.repeat([False, True], 60)
    found = ood.certify_targets(np.zeros(120), s, is_ood, min_tpr=.6, max_fpr=.3, delta=.1)
    t = found.threshold
    return found.status != "infeasible" and bool(min(max(t, 0), 1) < .6 or min(max(t - .5, 0), 1) > .3)


for _case, _draw in SCORES.items():
    @door("ood.certify_targets", case=f"selective risk, {_case}", level=.1)
    def _(rng, draw=_draw):
        scores = draw(rng, 60)
        found = ood.certify_targets(flat(rng, 60, .3), scores, np.zeros(60, bool), target_risk=.3, delta=.1)
        return bool(found.accept(np.r_[NEW, scores]).any())

    @door("ood.certify_answers", case=f"foreign inputs like known ones, {_case}", level=.1)
    def _(rng, draw=_draw):
        scores = draw(rng, 80)
        found = ood.certify_answers(flat(rng, 80, .3), scores, np.arange(80) >= 60, .3, .01)
        return bool(found.accept(np.r_[NEW, scores]).any())


@door("ood.DoubleScoreSelector", "ood.DoubleScoreSelector.fit", case="known and unknown inputs alike, a classifier that is fitted already", level=.1, cost=60)
def _(rng):
    X, y = rng.normal(size=(160, 2)), rng.integers(0, 2, 160)
    fitted = LogisticRegression().fit(X, y)
    s = ood.DoubleScoreSelector(fitted, "msp", _first, ood.BoundedTPRFPR(.3, .5), guarantee=True, delta=.1,
                                random_state=int(rng.integers(2**31))).fit(X, y, rng.normal(size=(80, 2)))
    if s.status_ == "infeasible": return False
    new = s.accept(rng.normal(size=(20_000, 2))).mean()
    return bool(new < .3 - 4*np.sqrt(.21/20_000) or new > .5 + 4*np.sqrt(.25/20_000))


# Audit --------------------------------------------------------------------------------------------------------------

for _case, _draw in SCORES.items():
    for _looked in (False, True):
        @door("audit.Audit.certify", case=f"looked={_looked}, {_case}", level=.1, cost=3)
        def _(rng, draw=_draw, looked=_looked):
            scores = draw(rng, 80)
            rule = audit.Audit(losses=flat(rng, 80, .3), scores=scores).certify(.3, .1, looked=looked)
            return bool(rule.decide(scores=np.r_[NEW, scores]).any())


for _looked in (False, True):
    @door("audit.Audit.certify", case=f"wrong or foreign answers, looked={_looked}", level=.1, cost=4)
    def _(rng, looked=_looked):
        scores = _float32(rng, 100)
        found = audit.Audit(losses=flat(rng, 100, .3), scores=scores, is_ood=np.arange(100) >= 80)
        rule = found.certify(.3, .1, looked=looked, foreign_share=.01)
        return bool(rule.decide(scores=np.r_[NEW, scores]).any())


@door("audit.Audit.certify", case="two groups, text labels", level=.1, cost=4)
def _(rng):
    wrong, groups = flat(rng, 120, .3) > 0, np.array(["a", "b"])[rng.integers(0, 2, 120)]
    scores = _float32(rng, 120)
    found = audit.Audit(y_true=np.where(wrong, "01", "1"), y_pred=np.full(120, "1"), scores=scores, groups=groups,
                        classes=["01", "1"])
    rule = found.certify(.3, .1, per_group=True, looked=False)
    return bool(rule.decide(scores=np.tile(NEW, 3), groups=np.repeat(["a", "b", "c"], len(NEW))).any())


def _alike(rng, risk, units=60, rows=6):
    """Losses and names of units whose rows are all right or all wrong."""
    unit = np.repeat(np.arange(units), rng.integers(1, rows + 1, units))
    return flat(rng, units, risk)[unit], unit


@door("audit.Audit.certify", case="60 units of 1 to 6 rows that are all alike, two scores", level=.1, cost=5)
def _(rng):
    losses, unit = _alike(rng, .3)
    scores = {"a": rng.random(len(unit)), "b": unit.astype(float)}
    return bool(audit.Audit(losses=losses, scores=scores, unit=unit).certify(.3, .1).n_accepted)


@door("audit.Audit.certify", case="two groups in each of 60 units that are all alike", level=.1, cost=5)
def _(rng):
    losses, unit = _alike(rng, .3)
    found = audit.Audit(losses=losses, scores=rng.random(len(unit)), unit=unit, groups=rng.integers(0, 2, len(unit)))
    return bool(found.certify(.3, .1, per_group=True).n_accepted)


@door("audit.Audit.certify", case="300 of 4,000 rows have a human label, a judge calls rows wrong as often as they are", level=.1, cost=8)
def _(rng):
    losses, labelled = flat(rng, 4000, .3), rng.random(4000) < .075
    found = audit.Audit(losses=losses, scores=rng.random(4000), judge=flat(rng, 4000, .3), labelled=labelled, rate=.075)
    return bool(found.certify(.3, .1).n_accepted)


@door("audit.Audit.frontier", case="the best line of 20 scores that are noise", level=.1, cost=12)
def _(rng):
    found = audit.Audit(losses=flat(rng, 80, .3), scores={f"s{k}": rng.random(80) for k in range(20)})
    return any(np.max(found.frontier(.1, targets=[.3], score=f"s{k}")["coverage"]) > 0 for k in range(20))


@door("audit.Audit.risk_band", case="every threshold at once", level=.1, cost=3)
def _(rng):
    table = audit.Audit(losses=flat(rng, 80, .3), scores=rng.random(80)).risk_band(.1)
    return bool(np.min(np.asarray(table["certified_risk"], float), initial=1.) < .3)


RULE = audit.Audit(losses=[0]*95 + [1]*5, scores=range(100)).certify(target_risk=.2, looked=False)


@door("audit.RuleMonitor", case="500 outcomes exactly at the target", level=.1, cost=2)
def _(rng):
    return audit.RuleMonitor(RULE, .1, 500).update((rng.random(500) < .2).astype(float)).alarm


UNITS = audit.Audit(losses=[0]*396 + [1]*4, scores=range(400), unit=np.arange(400)//2).certify(target_risk=.2)


@door("audit.RuleMonitor", case="five tables of 40 units exactly at the target whose rows are all alike", level=.1, cost=15)
def _(rng):
    monitor = audit.RuleMonitor(UNITS, .1, 500)
    for k in range(5):
        losses, unit = _alike(rng, .2, 40)
        monitor.update_table({"loss": losses, "s": np.zeros(len(unit)), "unit": 100*k + unit}, losses="loss", scores="s", unit="unit")
    return monitor.alarm


@door("audit.CascadeAudit.certify", "audit.CascadeAudit.to_html", case="two stages whose answers are all wrong at the target, 300 inputs", level=.1, cost=200)
def _(rng):
    cells = {"q": np.repeat(np.arange(300), 2), "m": np.tile(["a", "b"], 300), "ok": 1 - flat(rng, 600, .3).astype(int), "sure": rng.random(600)}
    found = audit.CascadeAudit.from_long(cells, "q", "m", "ok", "sure", stages=["a", "b"])
    return bool(found.certify(.3, .1).menu()["answered"][0])


@door("reject-nb audit", "audit.Audit.to_html", "audit.Audit.plot", case="a file, 80 rows, float32 scores", level=.1, cost=400)
def _(rng):
    wrong, scores = flat(rng, 80, .3) > 0, _float32(rng, 80)
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        path = Path(folder)/"table.csv"
        rows = "\n".join(f"{'no' if w else 'yes'},yes,{s}" for w, s in zip(wrong, scores))
        path.write_text(f"truth,answer,score\n{rows}\n")
        code = cli.main(["audit", str(path), "--label", "truth", "--prediction", "answer", "--scores", "score", "--target-risk", ".3",
                         "--delta", ".1", "--no-looked", "--out", folder])
        assert code == 0
        return bool(audit.Rule.load(Path(folder)/"rule.json").decide(scores=NEW).any())


# Names that look like doors and are none, each with the reason -----------------------------------------------------------

NO_DOOR = {
    "sdr.SafeRegionClassifier.rates": "rates of the fitted distributions; their intervals are those of a bootstrap and approximate",
    "strategies.compare_scores": "intervals of a bootstrap, which are approximate",
    "strategies.selective_metrics": "intervals of a bootstrap, which are approximate",
}
