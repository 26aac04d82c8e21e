"""Every public call of reject_nb.audit with valid arguments, and the values that look bad and are not."""
import contextlib
import tempfile

import numpy as np
from sklearn.linear_model import LogisticRegression

import reject_nb.audit as a
from reject_nb.audit.table import Dialect

RNG = np.random.default_rng(0)
N = 120
P = RNG.random(N)
PROBABILITIES = np.column_stack([1 - P, P])
Y = (RNG.random(N) < P).astype(int)
ANSWERS = (P > .5).astype(int)
GROUPS = np.where(np.arange(N) % 2, "a", "b")
UNITS = np.arange(N)//2
OOD = np.arange(N) % 10 == 5
LOSSES = (Y != ANSWERS).astype(float)
X = np.column_stack([P, P**2])
FITTED = LogisticRegression().fit(X, Y)
CELLS = {"y": Y, "answer": ANSWERS, "p_0": PROBABILITIES[:, 0], "p_1": P, "loss": LOSSES, "group": GROUPS, "ood": OOD, "unit": UNITS}
AUDIT = a.Audit(Y, probabilities=PROBABILITIES, groups=GROUPS)
LABELLED = RNG.random(N) < .5
OF_JUDGE = dict(y_true=Y, y_pred=ANSWERS, probabilities=PROBABILITIES, logits=None, scores={"s": P}, losses=None, loss="zero-one", groups=GROUPS,
                classes=np.array([0, 1]), bound=1., judge=Y[::-1], labelled=LABELLED, rate=.5)
OF_UNITS = a.Audit(Y, probabilities=PROBABILITIES, groups=GROUPS, unit=UNITS)
RULE = AUDIT.certify(.3)
FOREIGN = AUDIT.certify(.3, foreign_share=.1)
EACH = AUDIT.certify(.45, per_group=True, looked=False)
GIVEN = a.Audit(losses=LOSSES, scores=-np.abs(P - .5)).certify(.3)
LONG = {"q": np.repeat(np.arange(N), 2), "m": np.tile(["small", "large"], N), "ok": 1 - np.column_stack([LOSSES, LOSSES]).ravel().astype(int),
        "sure": np.repeat(np.abs(P - .5), 2), "price": np.tile([1, 5], N), "g": np.repeat(GROUPS, 2)}
SYSTEM = a.CascadeAudit.from_long(LONG, "q", "m", "ok", "sure", "price")
OF_SYSTEM = SYSTEM.certify(.3, also=())
COUNTED = a.Audit.from_table(CELLS, label="y", probabilities="p_*", group="group", stream=True)


def saved(path):
    """Save a rule beside nothing that matters."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder): return RULE.save(path)


def written(path, **more):
    """A page in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder): return AUDIT.to_html(path, **more)


def loaded(path):
    """A rule that was saved under this name."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        RULE.save("rule.json")
        return a.Rule.load(path)


def of_table(**arguments):
    """Read a table; scores where probabilities are tried."""
    return a.Audit.from_table(**arguments)


def calls():
    """Name -> (callable, valid keyword arguments)."""
    roles = dict(label="y", prediction="answer", scores="p_0", losses=None, group="group", ood="ood", classes=None, loss="zero-one", bound=None)
    error = dict(words="wrong", column="p", row=3, value=.5)
    return {
        "Audit": (a.Audit, dict(y_true=Y, y_pred=ANSWERS, probabilities=PROBABILITIES, logits=None, scores={"s": P}, losses=None, loss="zero-one", is_ood=OOD,
                                groups=GROUPS, classes=np.array([0, 1]), bound=1., unit=UNITS, judge=None, labelled=None, rate=None)),
        "Audit, judge": (a.Audit, OF_JUDGE),
        "Audit.of_sample": (a.Audit.of_sample, dict(sample=AUDIT.sample)),
        "Audit.from_estimator": (a.Audit.from_estimator, dict(estimator=FITTED, X=X, y=Y, loss="zero-one", is_ood=OOD, groups=GROUPS, unit=UNITS)),
        "Audit.from_table": (of_table, dict(table=CELLS, probabilities=None, logits=None, stream=False, missing="error", missing_values=["NA"],
                                               correct=None, confidence=None, weight=None, weight_bound=None, unit="unit", judge=None, rate=None, dialect=Dialect(), **roles)),
        "Audit.from_table, judge": (of_table, dict(table=CELLS | {"said": Y[::-1]}, label="y", prediction="answer", scores="p_1", judge="said", rate=1.)),
        "Audit.metrics": (AUDIT.metrics, dict(coverage=.7, target_risk=.1, level=.9)),
        "Audit.groups": (AUDIT.groups, dict(rule=RULE, score="max_probability", coverage=.7, level=.9)),
        "Audit.calibration": (AUDIT.calibration, dict(bins=5, level=.9)),
        "Audit.curve": (AUDIT.curve, dict(score="max_probability", points=50, level=.9)),
        "Audit.frontier": (AUDIT.frontier, dict(delta=.2, targets=np.array([.1, .3]), score="auto")),
        "Audit.risk_band": (AUDIT.risk_band, dict(delta=.2, score="max_probability", points=50)),
        "Audit.certify": (AUDIT.certify, dict(target_risk=.3, delta=.2, score="auto", per_group=False, looked=False, max_rejected=.5, foreign_share=None)),
        "Audit.certify, foreign": (AUDIT.certify, dict(target_risk=.3, delta=.2, looked=False, foreign_share=.1)),
        "Audit.certify, units": (OF_UNITS.certify, dict(target_risk=.3, delta=.2, score="auto", per_group=False, looked=False)),
        "Audit.certify, judge": (a.Audit(**OF_JUDGE).certify, dict(target_risk=.3, delta=.2, score="auto", per_group=False, looked=False)),
        "Audit.plot": (AUDIT.plot, dict(ax=None, delta=.2, level=.9, kind="curve", rule=RULE)),
        "Audit.to_html": (written, dict(path="a.html", rule=RULE, title="T", delta=.2, model="m", date="2026-11-23", per_month=500)),
        "Rule": (a.Rule, {name: getattr(RULE, name) for name in RULE.__dataclass_fields__}),
        "Rule.decide": (EACH.decide, dict(probabilities=PROBABILITIES, logits=None, scores=None, groups=GROUPS)),
        "Rule.apply": (EACH.apply, dict(missing="reject", missing_values=["NA"], table=CELLS, probabilities=["p_0", "p_1"], logits=None, scores=None, group="group")),
        "Rule.curve": (FOREIGN.curve, dict(shares=np.array([0., .2]))),
        "Rule.save": (saved, dict(path="rule.json")), "Rule.load": (loaded, dict(path="rule.json")),
        "CascadeAudit": (a.CascadeAudit, {name: getattr(SYSTEM, name) for name in SYSTEM.__dataclass_fields__}),
        "CascadeAudit.from_table": (a.CascadeAudit.from_table, dict(table=CELLS, stages={"one": "p_*", "two": "answer"}, label="y", costs=np.array([1., 5.]),
                                                                    capacity={"two": .5}, group="group", missing_values=["NA"], dialect=Dialect())),
        "CascadeAudit.from_long": (a.CascadeAudit.from_long, dict(table=LONG, input="q", model="m", correct="ok", confidence="sure", cost="price",
                                                                  stages=["small", "large"], costs=None, capacity={"large": .5}, group="g", missing_values=["NA"], dialect=Dialect())),
        "CascadeAudit.certify": (SYSTEM.certify, dict(target_risk=.3, delta=.2, budget=5., also=[{"target_risk": .4}], line=1)),
        "CascadeAudit.to_html": (page_of_system, dict(path="a.html", rule=OF_SYSTEM, title="T", per_month=500, date="2026-11-28")),
        "SystemRule": (a.SystemRule, {name: getattr(OF_SYSTEM, name) for name in OF_SYSTEM.__dataclass_fields__}),
        "SystemRule.apply": (OF_SYSTEM.apply, dict(table=LONG, missing_values=["NA"])), "SystemRule.outcomes_of": (OF_SYSTEM.outcomes_of, dict(table=LONG)),
        "SystemRule.save": (system_to, dict(path="r.json")), "SystemRule.load": (system_of, dict(path="r.json")),
        "RuleMonitor": (a.RuleMonitor, dict(rule=RULE, delta=.1, horizon=1000, late="equal")),
        "RuleMonitor.save": (monitor_to, dict(path="m.json")), "RuleMonitor.load": (monitor_of, dict(path="m.json", rule=RULE, delta=.05, horizon=100_000, late="any")),
        "RuleMonitor.update": (lambda losses, waits=None: a.RuleMonitor(RULE).update(losses, waits), dict(losses=np.array([0., 1.]), waits=np.array([True, False]))),
        "RuleMonitor.complete": (lambda places, losses: a.RuleMonitor(RULE).update([0, 0, 0], [0, 1, 1]).complete(places, losses), dict(places=np.array([2, 1]), losses=np.array([0., 1.]))),
        "RuleMonitor.update_table": (lambda table, date: a.RuleMonitor(RULE).update_table(table, date, label="y", probabilities=["p_0", "p_1"]), dict(table=CELLS, date="2026-11")),
        "RuleMonitor.plot": (lambda ax: a.RuleMonitor(RULE).update([0, 1]).plot(ax), dict(ax=None)),
        "Table": (a.Table, dict(columns={"a": [1, 2]})), "Table.to_csv": (table_to, dict(path=None, formulas=False)),
        "TableError": (a.TableError, error), "TableError.at": (a.TableError.at, dict(column="p", row=3, value=.5, expected="a number")),
        "Audit.metrics, counted": (COUNTED.metrics, dict(coverage=.7, target_risk=.1, level=.9)),
        "Audit.groups, counted": (COUNTED.groups, dict(rule=RULE, score="max_probability", coverage=.7, level=.9)),
        "Audit.certify, counted": (COUNTED.certify, dict(target_risk=.3, delta=.2, score="auto", per_group=False, looked=True, max_rejected=.5)),
    }


def page_of_system(path, **more):
    """A page in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder): return SYSTEM.to_html(path, **more)


def system_to(path):
    """The rule of a system in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder): return OF_SYSTEM.save(path)


def system_of(path):
    """The rule of a system that was saved under this name."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        OF_SYSTEM.save("r.json")
        return a.SystemRule.load(path)


def monitor_to(path):
    """A monitor in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder): return a.RuleMonitor(RULE).save(path)


def monitor_of(path, rule, **told):
    """A monitor that was saved under this name."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        a.RuleMonitor(RULE).save("m.json")
        return a.RuleMonitor.load(path, rule, **told)


def table_to(path, **more):
    """A table as text, in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder): return a.Table({"a": [1]}).to_csv(path, **more)


NONE, LABEL = "the documented default", "any number or text is a label"
RECORD = "a record of what was certified: it is checked where a file is loaded and where it decides"
LEGAL = {
    ("Rule", "*", "*"): RECORD, ("CascadeAudit", "*", "*"): "what a table holds: it is checked where it is read", ("SystemRule", "*", "*"): RECORD,
    ("CascadeAudit.to_html", "path", "text"): "any text is a path", ("SystemRule.save", "path", "text"): "any text is a path",
    ("CascadeAudit.from_long", "stages", "none"): NONE, ("CascadeAudit.from_table", "costs", "huge"): "any finite price is a legal one",
    ("CascadeAudit.certify", "budget", "huge"): "any finite price is a legal one", ("CascadeAudit.certify", "also", "empty"): "a menu of one line",
    ("CascadeAudit.from_long", "cost", "none"): NONE,
    ("TableError", "*", "*"): "the parts of a message", ("TableError.at", "*", "*"): "the parts of a message",
    ("*", "title", "text"): "any text is a title", ("*", "model", "text"): "any text is a name", ("*", "date", "text"): "any text is a date", ("Audit.to_html", "path", "text"): "any text is a path", ("Rule.save", "path", "text"): "any text is a path", ("RuleMonitor.save", "path", "text"): "any text is a path",
    ("Table.to_csv", "path", "text"): "any text is a path",
}
for _name in ("y_pred", "scores", "is_ood", "groups", "classes", "bound", "rule", "score", "targets", "path", "ax", "group", "ood", "logits", "losses",
              "probabilities", "columns", "stream", "target_risk", "date", "capacity", "costs", "also", "budget", "max_rejected", "foreign_share", "shares", "missing_values",
              "correct", "confidence", "weight", "weight_bound", "dialect", "unit", "looked", "judge", "labelled", "rate"): LEGAL[("*", _name, "none")] = NONE
for _kind in ("huge", "inf"): LEGAL[("*", "groups", _kind)] = LABEL
for _kind in ("masked", "huge"): LEGAL[("Audit.from_estimator", "X", _kind)] = "what the classifier takes is taken"
LEGAL[("*", "bound", "huge")] = "any finite size is a legal one"
LEGAL[("RuleMonitor", "late", "none")] = "None: as the rule says"
for _name in ("delta", "horizon", "late"): LEGAL[("RuleMonitor.load", _name, "none")] = "None: as in the file"
LEGAL[("RuleMonitor.update", "waits", "none")] = "None: all are known"
LEGAL[("Table", "columns", "empty")] = "a table without columns"
