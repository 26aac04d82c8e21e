"""Tests of nbs/audit/09_report.ipynb, extracted from its test cells: edit them there."""
import json
import numpy as np
import pytest
from html.parser import HTMLParser
from reject_nb.audit import LargeAudit

from reject_nb.audit.report import _hash, apply_section, report_html

EVIL = "</script><script>alert('x')</script>"

def _fish(n=3000, names=("cod", EVIL, "a & b"), ports=("Vigo", EVIL), seed=3):
    "Three classes and two ports whose names would break a careless page."
    rng = np.random.default_rng(seed)
    logits = rng.normal(0, 2, (n, 3))
    p = np.exp(logits)/np.exp(logits).sum(1, keepdims=True)
    label = np.minimum((p.cumsum(1) < rng.random((n, 1))).sum(1), 2)
    return {**{f"p_{c}": p[:, i] for i, c in enumerate(names)}, "y": np.array(names, object)[label],
            "port": np.array(ports, object)[(p[:, 0] > .4).astype(int)], "odd": rng.random(n) < .02}


def _audit(**more):
    return LargeAudit.from_table([_fish(**more)], label="y", probabilities="p_*", group="port", ood="odd")


class _Page(HTMLParser):
    "Elements, attributes and texts of a page; fails where elements do not nest."
    VOID = {"meta", "input"}

    def __init__(self, text):
        super().__init__()
        self.open, self.seen, self.texts = [], [], {}
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, name, attributes):
        self.seen.append((name, dict(attributes)))
        if name not in self.VOID: self.open.append(name)

    def handle_endtag(self, name): assert self.open.pop() == name

    def handle_data(self, text):
        if self.open: self.texts.setdefault(self.open[-1], []).append(text)


def test_the_page_is_whole_and_takes_nothing_from_elsewhere():
    page = _Page(report_html(_audit(), title=EVIL))
    names = [name for name, _ in page.seen]
    assert names.count("script") == 2 and names.count("style") == 1 and names.count("h1") == 1
    assert EVIL in page.texts["h1"] and EVIL in page.texts["title"]
    for name, attributes in page.seen:
        assert not {"style", "src",
                    "href"} & set(attributes) and not any(a.startswith("on") for a in attributes)
    ids = [a["id"] for _, a in page.seen if "id" in a]
    assert len(set(ids)) == len(ids)
    assert all("aria-label" in a for n, a in page.seen if n in ("svg", "button"))


def test_the_policy_names_this_style_and_this_script():
    page = _Page(report_html(_audit()))
    allowed = next(a["content"] for n, a in page.seen if a.get("http-equiv") == "Content-Security-Policy")
    script, style = page.texts["script"][-1], page.texts["style"][0]
    assert _hash(script) in allowed and _hash(style) in allowed and allowed.startswith("default-src 'none'")


def test_the_slider_shows_what_the_band_says():
    audit = _audit(n=20_000)
    page, band = _Page(report_html(audit)), audit.risk_band()
    rows = json.loads(page.texts["script"][0])
    assert [float(t) for t in rows["threshold"]] == band["threshold"].tolist()
    for name, column in (("coverage", "coverage"), ("risk", "risk"), ("certified", "certified_risk")):
        assert len(rows[name]) == len(band[column])
        assert np.abs(np.array(rows[name])/1e4 - band[column]).max() <= 1.01e-4
    assert (np.array(rows["coverage"])/1e4 <= band["coverage"] + 1e-9).all()
    assert (np.array(rows["certified"])/1e4 >= np.minimum(band["certified_risk"], 1) - 1e-9).all()


def test_a_rule_by_group_is_applied_group_by_group():
    from dataclasses import replace
    rule = _audit(n=20_000).certify(.6, looked=False)
    limits = {"Vigo": .25, "Faro": -np.inf, "Porto": np.inf}
    text = str(apply_section(replace(rule, thresholds=limits)))
    for words in ("Vigo: 0.25", "Faro: nothing is answered", "Porto: everything is answered",
                  "groups=new_groups)"): assert words in text
    assert "new_groups" not in str(apply_section(rule))


def test_what_was_not_given_is_not_shown():
    table = {"l": [0, 0, 1]*700, "s": [.1, .2, .9]*700}
    text = report_html(LargeAudit.from_table([table], losses="l", scores="s"))
    for words in ("calibrated", "Who is rejected", "Strange inputs"): assert words not in text
    assert "What this does not say" in text and len(text) < 60_000


@pytest.mark.parametrize("wrong", [[0], [1], [0]*300, [1]*300, [0, 1]*200])
def test_degenerate_samples_have_a_report(wrong):
    "One row, all right, all wrong, one score for all: the page says that nothing is promised, or everything."
    audit = LargeAudit.from_table([{"l": wrong, "s": np.zeros(len(wrong))}], losses="l", scores="s")
    page = _Page(report_html(audit, audit.certify(.3)))
    assert len(page.texts["h2"]) >= 5


def test_a_band_without_rows_and_rules_by_group():
    audit = _audit(n=20_000)
    rule = audit.certify(.25, per_group=True)
    assert "Vigo: 0." in report_html(audit, rule)
    audit.risk_band = lambda **options: {k: np.array([]) for k in ("coverage", "threshold", "risk",
                                                                   "certified_risk")}
    text = report_html(audit, rule)
    assert "No threshold is certified" in text and "<script" not in text
    _Page(text)


@pytest.mark.parametrize("change, name",
                         [(dict(title=""), "title"), (dict(title=3), "title"), (dict(delta=0), "delta"),
                                          (dict(delta="x"), "delta"), (dict(rule="x"), "rule")])
def test_arguments_are_named(change, name):
    with pytest.raises(ValueError, match=f"^{name} must be"): report_html(_audit(n=50), **change)


def test_twice_the_same_page():
    assert report_html(_audit()) == report_html(_audit())
