"""Every public call of reject_nb.audit with valid arguments, and the values that look bad and are not."""
import contextlib
import tempfile

import numpy as np
from sklearn.linear_model import LogisticRegression

import reject_nb.audit as a

RNG = np.random.default_rng(0)
N = 120
P = RNG.random(N)
PROBABILITIES = np.column_stack([1 - P, P])
Y = (RNG.random(N) < P).astype(int)
ANSWERS = (P > .5).astype(int)
GROUPS = np.where(np.arange(N) % 2, "a", "b")
OOD = np.arange(N) % 10 == 5
LOSSES = (Y != ANSWERS).astype(float)
X = np.column_stack([P, P**2])
FITTED = LogisticRegression().fit(X, Y)
CELLS = {"y": Y, "answer": ANSWERS, "p_0": PROBABILITIES[:, 0], "p_1": P, "loss": LOSSES, "group": GROUPS, "ood": OOD}
AUDIT = a.Audit(Y, probabilities=PROBABILITIES, groups=GROUPS)
RULE = AUDIT.certify(.3)
FOREIGN = AUDIT.certify(.3, foreign_share=.1)
EACH = AUDIT.certify(.45, per_group=True, looked=False)
GIVEN = a.Audit(losses=LOSSES, scores=-np.abs(P - .5)).certify(.3)
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
                                groups=GROUPS, classes=np.array([0, 1]), bound=1.)),
        "Audit.of_sample": (a.Audit.of_sample, dict(sample=AUDIT.sample)),
        "Audit.from_estimator": (a.Audit.from_estimator, dict(estimator=FITTED, X=X, y=Y, loss="zero-one", is_ood=OOD, groups=GROUPS)),
        "Audit.from_table": (of_table, dict(table=CELLS, probabilities=None, logits=None, stream=False, missing="error", missing_values=["NA"], **roles)),
        "Audit.metrics": (AUDIT.metrics, dict(coverage=.7, target_risk=.1, level=.9)),
        "Audit.groups": (AUDIT.groups, dict(rule=RULE, score="max_probability", coverage=.7, level=.9)),
        "Audit.calibration": (AUDIT.calibration, dict(bins=5, level=.9)),
        "Audit.curve": (AUDIT.curve, dict(score="max_probability", points=50, level=.9)),
        "Audit.frontier": (AUDIT.frontier, dict(delta=.2, targets=np.array([.1, .3]), score="auto")),
        "Audit.risk_band": (AUDIT.risk_band, dict(delta=.2, score="max_probability", points=50)),
        "Audit.certify": (AUDIT.certify, dict(target_risk=.3, delta=.2, score="auto", per_group=False, looked=False, max_rejected=.5, foreign_share=None)),
        "Audit.certify, foreign": (AUDIT.certify, dict(target_risk=.3, delta=.2, looked=False, foreign_share=.1)),
        "Audit.plot": (AUDIT.plot, dict(ax=None, delta=.2, level=.9, kind="curve", rule=RULE)),
        "Audit.to_html": (written, dict(path="a.html", rule=RULE, title="T", delta=.2, model="m", date="2026-11-23", per_month=500)),
        "Rule": (a.Rule, {name: getattr(RULE, name) for name in RULE.__dataclass_fields__}),
        "Rule.decide": (EACH.decide, dict(probabilities=PROBABILITIES, logits=None, scores=None, groups=GROUPS)),
        "Rule.apply": (EACH.apply, dict(missing="reject", missing_values=["NA"], table=CELLS, probabilities=["p_0", "p_1"], logits=None, scores=None, group="group")),
        "Rule.curve": (FOREIGN.curve, dict(shares=np.array([0., .2]))),
        "Rule.save": (saved, dict(path="rule.json")), "Rule.load": (loaded, dict(path="rule.json")),
        "RuleMonitor": (a.RuleMonitor, dict(rule=RULE, delta=.1, horizon=1000)),
        "RuleMonitor.save": (monitor_to, dict(path="m.json")), "RuleMonitor.load": (monitor_of, dict(path="m.json", rule=RULE)),
        "RuleMonitor.update": (lambda losses: a.RuleMonitor(RULE).update(losses), dict(losses=np.array([0., 1.]))),
        "RuleMonitor.update_table": (lambda table: a.RuleMonitor(RULE).update_table(table, label="y", probabilities=["p_0", "p_1"]), dict(table=CELLS)),
        "RuleMonitor.plot": (lambda ax: a.RuleMonitor(RULE).update([0, 1]).plot(ax), dict(ax=None)),
        "Table": (a.Table, dict(columns={"a": [1, 2]})), "Table.to_csv": (table_to, dict(path=None, formulas=False)),
        "TableError": (a.TableError, error), "TableError.at": (a.TableError.at, dict(column="p", row=3, value=.5, expected="a number")),
        "Audit.metrics, counted": (COUNTED.metrics, dict(coverage=.7, target_risk=.1, level=.9)),
        "Audit.groups, counted": (COUNTED.groups, dict(rule=RULE, score="max_probability", coverage=.7, level=.9)),
        "Audit.certify, counted": (COUNTED.certify, dict(target_risk=.3, delta=.2, score="auto", per_group=False, looked=True, max_rejected=.5)),
    }


def monitor_to(path):
    """A monitor in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder): return a.RuleMonitor(RULE).save(path)


def monitor_of(path, rule):
    """A monitor that was saved under this name."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        a.RuleMonitor(RULE).save("m.json")
        return a.RuleMonitor.load(path, rule)


def table_to(path, **more):
    """A table as text, in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder): return a.Table({"a": [1]}).to_csv(path, **more)


NONE, LABEL = "the documented default", "any number or text is a label"
RECORD = "a record of what was certified: it is checked where a file is loaded and where it decides"
LEGAL = {
    ("Rule", "*", "*"): RECORD, ("TableError", "*", "*"): "the parts of a message", ("TableError.at", "*", "*"): "the parts of a message",
    ("*", "title", "text"): "any text is a title", ("*", "model", "text"): "any text is a name", ("*", "date", "text"): "any text is a date", ("Audit.to_html", "path", "text"): "any text is a path", ("Rule.save", "path", "text"): "any text is a path", ("RuleMonitor.save", "path", "text"): "any text is a path",
    ("Table.to_csv", "path", "text"): "any text is a path",
}
for _name in ("y_pred", "scores", "is_ood", "groups", "classes", "bound", "rule", "score", "targets", "path", "ax", "group", "ood", "logits", "losses",
              "probabilities", "columns", "stream", "target_risk", "date", "max_rejected", "foreign_share", "shares", "missing_values"): LEGAL[("*", _name, "none")] = NONE
for _kind in ("huge", "inf"): LEGAL[("*", "groups", _kind)] = LABEL
for _kind in ("masked", "huge"): LEGAL[("Audit.from_estimator", "X", _kind)] = "what the classifier takes is taken"
LEGAL[("*", "bound", "huge")] = "any finite size is a legal one"
LEGAL[("RuleMonitor.update", "losses", "empty")] = "no outcome is no news"
LEGAL[("Table", "columns", "empty")] = "a table without columns"
