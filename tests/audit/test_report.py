"""Tests of nbs/audit/09_report.ipynb, extracted from its test cells: edit them there."""
import json
import numpy as np
import pytest
import re
from html.parser import HTMLParser
from reject_nb.audit import LargeAudit
from reject_nb.audit.markup import Frame
from types import SimpleNamespace

from reject_nb.audit.report import (
    LIMITS, MOST_GROUPS, _foot, _has, _hash, _line, _measures, _nearest, _numbers_of, _page, _rejected_more,
    _shown, _slider, _static, _top_of, apply_section, calibration_section, curve_frame, curve_picture,
    curve_section, data_block, given_section, groups_picture, groups_section, legend, limits_section,
    menu_section, ood_section, reliability_picture, report_html, scores_section, slider_rows,
    summary_section,
)

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
    audit.risk_band = lambda **options: {k: np.array([])
                                         for k in ("coverage", "threshold", "risk", "certified_risk")}
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

CURVE = {"coverage": np.array([.01, .02, .5, 1.]), "risk": np.array([.9, .1, .2, .3]),
         "risk_low": np.array([0, .05, .1, .2]), "risk_high": np.array([1, .15, .3, .4])}
PROVED = {"coverage": np.array([.25, .5, .75]), "risk": np.array([.1, .2, .25]),
          "certified_risk": np.array([.15, .3, 1.2]), "threshold": np.array([-1., .5, np.inf])}
TOLD = {"score": ["s", "t"], "n": np.array([40, 50]), "risk": np.array([.3, .25]),
        "risk_low": np.array([.2, .15]), "risk_high": np.array([.4, .35]), "auroc": np.array([.7, np.nan]),
        "ood_auroc": np.array([.9, .8]), "ood_fpr95": np.array([.1, .2])}

def _some_rule(**changed):
    made = dict(score="t", coverage=.6, risk=.12, target_risk=.2, delta=.1, statement="It holds.",
                remedy="Raise.",
                threshold=.5, thresholds=None, looked=True, hash="ab")
    return SimpleNamespace(**{**made, **changed})


def _words(markup): return [text.strip() for text in re.split(r"<[^>]*>", str(markup)) if text.strip()]


def _all(pattern, markup): return re.findall(pattern, str(markup))


def test_room_for_risks_by_hand():
    "The most of all risks and 15 % more, at most 1, .1 where all are 0; below a coverage of .02 none counts."
    for values, top in (([np.array([.2, np.nan]), np.array([])], .23), ([], .1), ([np.zeros(2)], .1),
                        ([np.array([.95])], 1.), ([np.array([.1]), np.array([.4])], .46)):
        assert _top_of(*values) == pytest.approx(top)
    frame = curve_frame(CURVE)
    assert frame.x_range == (0, 1) and frame.y_range == (0, pytest.approx(.46))
    assert _numbers_of(frame) == [96, 604, 14, 292, pytest.approx(.46)]


def test_points_of_the_curve_by_hand():
    "508 units for coverage 0 to 1 from 96, 278 for risks 0 to .46 upwards from 292."
    def at(x, y): return " ".join(f"{96 + 508*a:.1f},{292 - 278*min(b/.46, 1):.1f}" for a, b in zip(x, y))
    c = CURVE["coverage"]
    for rule, diamonds in ((None, []), ((.5, .2), [f"{350:.1f} {292 - 278*.2/.46 - 9:.1f}"])):
        found = curve_picture(CURVE, PROVED, rule)
        around = at(c, CURVE["risk_high"]) + " " + at(c[::-1], CURVE["risk_low"][::-1])
        assert _all('points="([^"]*)" class="band seen"', found) == [around]
        assert _all('points="([^"]*)" class="line seen"', found) == [at(c, CURVE["risk"])]
        assert _all('points="([^"]*)" class="line proved"', found) == [at(PROVED["coverage"],
                                                                         PROVED["certified_risk"])]
        assert _all('d="M([^l]*)l9 9l-9 9l-9 -9z" class="rule"', found) == diamonds
        assert _all('<g id="marker">(.*)</g>', found) == ['<line x1="0" x2="0" y1="14" y2="292"></line>'
                                                         '<circle r="6" cx="0" cy="0"></circle>']
        assert ">coverage: share of cases answered<" in found and ">risk: wrong among answered<" in found


def test_dots_of_the_calibration_by_hand():
    "One of three bins has both numbers: accuracy .4 at .5, from .3 to .6."
    table = {"confidence": [.5, np.nan, .9], "accuracy": [.4, .5, np.nan], "accuracy_low": [.3, 0, 0],
             "accuracy_high": [.6, 1, 1]}
    found = reliability_picture(table)
    assert _all('points="([^"]*)" class="line (\\w*)"', found) == [("96.0,292.0 604.0,14.0", "even"),
                                                                  ("350.0,208.6 350.0,125.2", "seen")]
    assert _all('<circle cx="350.0" cy="180.8" r="5" class="dot">', found) and found.count("<circle") == 1


def test_bars_of_the_groups_by_hand():
    table = {"group": ["a", "b"], "n": [30, 10], "coverage": [.5, .1], "coverage_low": [.4, .05],
             "coverage_high": [.6, .2]}
    found = groups_picture(table)                                   # each has half of 278 units
    assert _all('<rect x="96" y="([^"]*)" width="([^"]*)" height="([^"]*)" class="bar">', found) == [
        ("39.0", "254.0", "89.0"), ("178.0", "50.8", "89.0")]
    assert _all('d="(M[^"]*)" class="whisker"', found) == ["M299.2 83.5H400.8", "M121.4 222.5H197.6"]
    assert _all('<text x="88.0" y="([^"]*)" text-anchor="end">(\\d)<', found) == [("88.5", "1"),
                                                                                  ("227.5", "2")]
    assert _words(found)[-7:] == ["0 %", "20 %", "40 %", "60 %", "80 %", "100 %", "share of cases answered"]
    assert ('<text x="350.0" y="344.0"' in found) and '<text x="96.0" y="314.0"' in found
    assert _rejected_more(table) == ("On the whole 40.00 % is answered. Less often, beyond chance "
                                     "(95 %, each group by itself): b.")
    even = {**table, "coverage_high": [.6, .4]}
    assert _rejected_more(even) == ("On the whole 40.00 % is answered; no group is answered less often than "
                                    "that beyond chance.")
    many = {name: column*7 for name, column in table.items()}
    assert groups_picture(many).count("<rect") == MOST_GROUPS == 12
    assert len(_words(groups_picture({**table, "group": []}))) == 8


def test_rows_of_the_slider_by_hand():
    "Coverage down, certified risk up and at most 1, the risk seen to the nearest."
    found = slider_rows({"coverage": [.25, .50009], "risk": [.10006, .2], "certified_risk": [.15001, 1.2],
                         "threshold": [np.float64(-1), np.inf]})
    assert found == {"coverage": [2500, 5000], "risk": [1001, 2000], "certified": [1501, 10_000],
                     "threshold": ["-1.0", "inf"]}
    assert slider_rows({"coverage": [.3], "risk": [0], "certified_risk": [.3], "threshold": [0]}) == {
        "coverage": [3000], "risk": [0], "certified": [3000], "threshold": ["0.0"]}   # rounding is no step
    assert [_nearest(PROVED, rule)
            for rule in (None, _some_rule(coverage=0.), _some_rule(coverage=.7))] == [0, 0, 2]
    slider = str(_slider(PROVED, _some_rule()))
    assert 'min="0" max="2" value="1"' in slider and slider.count("<dd id=") == 4
    assert _words(slider)[1:] == ["threshold on the score", "of cases answered", "wrong among answered, seen",
                                  "certified: at most"]
    assert _shown(PROVED["coverage"], .6) == ('<button type="button" data-at="1" aria-label="show 60.00 %">'
                                             "show</button>")


def test_ten_thresholds_in_numbers():
    assert _words(_static(PROVED))[5:] == ["25.00 %", "-1", "10.00 %", "15.00 %", "50.00 %", "0.5", "20.00 %",
                                          "30.00 %", "75.00 %", "any", "25.00 %", "120.00 %"]
    fine = {name: np.linspace(.001, 1, 1000) for name in PROVED}
    assert _words(_static(fine))[5::4] == [f"{k}0.00 %" for k in range(1, 11)]


def test_what_comes_first():
    row = ["wrong if all is answered", "25.00 %", "cases tested", "50"]
    assert _words(summary_section(TOLD, _some_rule())) == [
        "It holds.", "of cases answered", "60.00 %", "wrong among answered, seen", "12.00 %",
        "promised at most",
        "20 %", "confidence in the promise", "90 %", *row]
    assert _words(summary_section(TOLD, _some_rule(coverage=0.))) == ["It holds.", "Raise.", *row]
    assert _words(summary_section(TOLD, _some_rule(coverage=0., remedy=""))) == ["It holds.", *row]
    assert _words(summary_section(TOLD, _some_rule(score="u")))[-4:] == ["wrong if all is answered",
                                                                         "30.00 %",
                                                                       "cases tested", "40"]
    given = SimpleNamespace(given=["a table"], notes=["few rows"])
    assert _words(given_section(given)) == ["What was tested", "a table", "Please note:", "few rows"]
    assert _words(given_section(SimpleNamespace(given=["a table"], notes=[]))) == ["What was tested",
                                                                                   "a table"]


def test_the_curve_with_and_without_a_rule():
    found = _words(curve_section(CURVE, _some_rule(), PROVED, .05))
    assert "certified risk (95 % confidence, all thresholds at once)" in found and "the rule" in found
    none = {name: column[:0] for name, column in PROVED.items()}
    found = _words(curve_section(CURVE, None, none, .1))
    assert "the rule" not in found and "certified risk (90 % confidence, all thresholds at once)" in found
    assert found[-1].startswith("No threshold is certified for any risk")
    assert legend(("seen", "x")) == '<p class="legend"><span><span class="swatch seen"></span>x</span></p>'


def test_lines_of_the_menu():
    rows = [{"target_risk": .05, "coverage": 0., "score": "t", "threshold": 0., "risk": np.nan},
            {"target_risk": .1, "coverage": .50009, "score": "t", "threshold": .5, "risk": .08},
            {"target_risk": .2, "coverage": .8, "score": "s", "threshold": 7., "risk": .15}]
    dash = "\N{EM DASH}"
    found = [[str(cell) for cell in _line(row, _some_rule(), PROVED["coverage"])] for row in rows]
    assert found[0] == ["5 %", "cannot be certified", dash, dash, dash, ""]
    assert found[1] == ["10 %", "50.00 %", "t", "0.5", "8.00 %", str(_shown(PROVED["coverage"], .50009))]
    assert found[2] == ["20 %", "80.00 %", "s", "7", "15.00 %", ""]
    assert _line(rows[1], _some_rule(), np.array([]))[-1] == ""
    menu = SimpleNamespace(rows=lambda: rows, statement="All hold.")
    audit = SimpleNamespace(frontier=lambda delta: menu if delta == .1 else None)
    found = _words(menu_section(audit, _some_rule(), PROVED, .1))
    assert found[0] == "What can be promised" and found[-1] == "All hold." and found.count("show") == 1


def test_measures_of_each_score():
    found = _words(scores_section(TOLD))
    assert found[3:] == ["s", "t", "risk if all is answered", "30.00 %", "20.00 % to 40.00 %", "25.00 %",
                         "15.00 % to 35.00 %", "AUROC: finds errors", "0.7", "\N{EM DASH}"]
    class Table(dict): coverage, target_risk = .9, .01
    wide = Table(TOLD, risk_at_coverage=[.1, .2], coverage_at_risk=[.3, .4], aurc=[.01, .02], e_aurc=[.1, .2],
                 augrc=[.3, .4])
    found = _words(scores_section(wide))
    for words in ("risk at 90 % coverage", "coverage at 1 % risk", "AURC: risk over all coverages",
                  "e-AURC: the same above the best order", "AUGRC: generalised risk"): assert words in found
    assert _words(scores_section({**TOLD, "aurc": [1, 2]}))[-3:] == ["AURC: risk over all coverages", "1",
                                                                     "2"]
    assert [words for _, words, _ in _measures(TOLD)][1:3] == ["risk at 80 % coverage",
                                                               "coverage at 5 % risk"]
    assert _words(ood_section(TOLD))[3:] == ["score", "AUROC", "kept at 95 %", "s", "0.9", "10.00 %", "t",
                                             "0.8",
                                             "20.00 %"]


def test_groups_and_confidences_in_numbers():
    table = {"group": ["a", "b"], "n": [30, 1000], "coverage": [.5, .1], "coverage_low": [.4, .05],
             "coverage_high": [.6, .2]}
    for name in ("risk", "selective_risk"):
        table |= {name: [.2, .3], f"{name}_low": [.1, np.nan], f"{name}_high": [.3, np.nan]}
    found = _words(groups_section(SimpleNamespace(groups=lambda rule: table if rule == 7 else None), 7))
    assert found[0] == "Who is rejected more?"
    assert found[-14:] == ["1. a", "30", "20.00 %", "10.00 % to 30.00 %", "50.00 %", "40.00 % to 60.00 %",
                           "20.00 %",
                           "10.00 % to 30.00 %", "2. b", "1,000", "30.00 %", "10.00 %", "5.00 % to 20.00 %",
                           "30.00 %"]
    class Table(dict): ece = .0123
    bins = Table(n=[0, 7], low=[0, .5], high=[.5, 1], confidence=[np.nan, .7], accuracy=[np.nan, .6],
                 accuracy_low=[np.nan, .4], accuracy_high=[np.nan, .8])
    found = _words(calibration_section(SimpleNamespace(calibration=lambda: bins)))
    assert found[-6:] == ["accuracy", "50.00 % to 100.00 %", "7", "70.00 %", "60.00 %", "40.00 % to 80.00 %"]
    assert "Mean distance between both, weighted by answers (ECE): 1.23 %." in found


def test_how_to_apply_and_what_is_not_said():
    found = _words(apply_section(_some_rule()))
    assert found[:3] == ["How to apply it",
                         "Answer where t is at most 0.5, and hand over the rest to a person.",
                         "In Python:"]
    own = _words(apply_section(_some_rule(thresholds={"a": np.inf, "b": -np.inf, "c": .25})))
    assert own[1].startswith("Answer where t is at most the threshold of its group,") and own[2:5] == [
        "a: everything is answered", "b: nothing is answered", "c: 0.25"]
    assert _words(apply_section(_some_rule(coverage=0.)))[1] == "In Python:"
    assert _words(limits_section(_some_rule()))[1:] == list(LIMITS)
    assert len(_words(limits_section(_some_rule(looked=False)))) == len(LIMITS) + 2
    assert _words(_foot(_some_rule()))[1] == "ab" and _has(SimpleNamespace(a=[1]), "a")
    assert not _has(SimpleNamespace(a=[]), "a") and not _has(SimpleNamespace(a=None),
                                                             "a") and not _has(7, "a")


def test_nothing_ends_a_block_of_data():
    block = data_block("rows", {"a": "</script>&\u2028\u2029"})
    inside = '{"a":"\\u003c/script\\u003e\\u0026\\u2028\\u2029"}'
    assert block == f'<script type="application/json" id="rows">{inside}</script>'
    with_rows, without = (_page("t", [], {"coverage": rows}) for rows in ([1], []))
    assert with_rows.count("<script") == 2 and "<script" not in without and "<title>t</title>" in without


def test_a_frame_keeps_risks_inside():
    frame = Frame((0., 2.), (0., .5))
    assert (frame.x([0, 1, 2]).tolist(), frame.y([-1, 0, .25, .5, 9]).tolist()) == (
        [96, 350, 604], [292, 292, 153, 14, 14])
