"""Tests of nbs/core/01_checks.ipynb, extracted from its test cells: edit them there."""
import math
import numpy as np
import pytest
import tempfile
import warnings
from datetime import date
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

from reject_nb.core.checks import (
    answer_of, check_box, check_choice, check_count, check_flag, check_instance, check_labels, check_mask,
    check_matrix, check_number, check_path, check_positive, check_probability, check_random_state,
    check_same_length, check_vector,
)

NUMBERS = [2, 2.5, np.float32(2.5), np.int8(2), np.array(2.)]
NOT_NUMBERS = [None, "2", True, np.True_, math.nan, math.inf, 2j, [2], np.array([2.]), 10**400, object(),
               np.ma.masked, np.ma.array(2., mask=True), np.timedelta64(2), np.timedelta64(2, "D")]

@pytest.mark.parametrize("value", NUMBERS)
def test_numbers_are_taken(value):
    found = check_number(value, "x")
    assert type(found) is float and found == value


@pytest.mark.parametrize("value", NOT_NUMBERS)
@pytest.mark.parametrize("check", [check_number, check_positive, check_probability, check_count])
def test_other_things_are_refused_by_name(check, value):
    with pytest.raises(ValueError, match="^x must be .*, got "): check(value, "x")


@pytest.mark.parametrize("value, options, ok", [
    (0, dict(low=0), True), (0, dict(low=0, open_low=True), False), (1, dict(high=1), True),
    (1, dict(high=1, open_high=True), False), (-1e-300, dict(low=0), False), (1.1, dict(high=1), False)])
def test_ends_of_an_interval(value, options, ok):
    if ok: assert check_number(value, "x", **options) == value
    else:
        with pytest.raises(ValueError, match="x must be"): check_number(value, "x", **options)


@pytest.mark.parametrize("value", [np.float32(0), np.float16(0), np.array(0, np.float32),
                                   Fraction(1, 10**400)])
def test_the_number_that_is_returned_is_compared(value):
    # not one in single precision, in which 1e-150 is 0 and 1e150 infinite, nor a fraction that no float is
    with pytest.raises(ValueError, match="^x must be"): check_number(value, "x", 1e-150, 1e150)
    with pytest.raises(ValueError, match="^x must be"): check_number(value, "x", 0, open_low=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert check_number(np.float32(2), "x", 1e-150, 1e150) == 2


@pytest.mark.parametrize("value, low, high, ok",
                         [(0, 0, None, True), (0, 1, None, False), (5, 1, 5, True), (6, 1, 5, False),
                                                  (np.int64(3), 1, None, True), (3., 1, None, False)])
def test_counts(value, low, high, ok):
    if ok:
        found = check_count(value, "n", low, high)
        assert type(found) is int and found == value
    else:
        most = "" if high is None else f" and at most {high}"
        with pytest.raises(ValueError, match=f"^n must be a whole number of at least {low}{most}, got"):
            check_count(value, "n", low, high)


def test_counts_end_where_integers_of_64_bits_do():
    assert check_count(2**63 - 1, "n") == 2**63 - 1 and check_count(2**64, "n", high=2**65) == 2**64
    with pytest.raises(ValueError, match="^n must be"): check_count(2**63, "n")


@pytest.mark.parametrize("options, words", [
    (dict(low=0), "a finite number of at least 0,"), (dict(low=0, open_low=True), "a finite number above 0,"),
    (dict(high=2), "a finite number of at most 2,"),
    (dict(high=2, open_high=True), "a finite number below 2,"), ({}, "a finite number,"),
    (dict(low=0, high=2), r"a number in \[0, 2\],"),
    (dict(low=0, high=2, open_low=True, open_high=True), r"a number in \(0, 2\),")])
def test_intervals_in_words(options, words):
    with pytest.raises(ValueError, match=f"^x must be {words} got 'a'"): check_number("a", "x", **options)


def test_probabilities_are_open_unless_closed():
    for value in (0, 1):
        assert check_probability(value, "p", closed=True) == value
        with pytest.raises(ValueError, match=r"p must be a number in \(0, 1\), got"):
            check_probability(value, "p")
    with pytest.raises(ValueError, match=r"\[0, 1\]"): check_probability(1.01, "p", closed=True)


def test_choices_are_those_listed():
    assert check_choice("a", "x", ["a", None]) == "a" and check_choice(None, "x", ["a", None]) is None
    for bad in ("b", 1, True, np.array(["a", "b"]), ["a"]):
        with pytest.raises(ValueError, match="x must be one of 'a', None, got"):
            check_choice(bad, "x", ["a", None])


@pytest.mark.parametrize("given, choices", [(np.str_("a"), ["a", None]), (np.int64(2), [1, 2])])
def test_choices_of_numpy_are_those_of_python(given, choices):
    found = check_choice(given, "x", choices)
    assert found == given and type(found) in (str, int)
    with pytest.raises(ValueError, match="^x must be one of"): check_choice(given, "x", [True])


def test_flags_and_instances():
    assert check_flag(np.True_, "x") is True and check_instance([], "x", list, "a list") == []
    for bad in (1, 0., "True", None):
        with pytest.raises(ValueError, match="x must be True or False"): check_flag(bad, "x")
    with pytest.raises(ValueError, match=r"x must be a list, got \(\)"):
        check_instance((), "x", list, "a list")


def test_paths_are_names_of_files():
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder)/"a").write_text("")
        assert check_path(f"{folder}/b/c") == Path(folder)/"b"/"c"
        assert check_path(Path(folder)/"a").name == "a"
        for bad in (folder, f"{folder}/a/b", f"{folder}/a/b/c", "", ".", "a\0b", "x"*5000, None, 3, b"x"):
            with pytest.raises(ValueError, match="^out must be"): check_path(bad, "out")


def test_functions_of_other_arguments_are_named():
    assert answer_of(max, "loss", 1, 2) == 2
    for bad in (len, lambda a: a, int):
        with pytest.raises(ValueError, match="^loss must be a function that takes 2 such argu") as caught:
            answer_of(bad, "loss", np.ones(2), np.ones(2))
        assert isinstance(caught.value.__cause__, TypeError)
    with pytest.raises(ZeroDivisionError): answer_of(lambda a: 1/0, "loss", 1)

NOT_ARRAYS = [None, "text", ["1", "2"], [1j, 2], [[1, 2], [3]], np.ma.array([1., 2.], mask=[0, 1]),
              [object(), 1], {"a": 1},
              np.array(["2020-01-01"], "M8"), [None, 1.], [], bytearray(b"12"),
              memoryview(b"12"), np.array([1, 2], "m8[D]"), [np.timedelta64(1), 2], [np.nan, 1.],
              [1., -np.inf], [10**400, 1]]

@pytest.mark.parametrize("value", [[1, 2], (1., 2.), np.array([1, 2], np.int8), np.array([1, 2], object),
                                   [True, 2],
                                   np.ma.array([1., 2.]), np.array([1., 2.], np.float32)])
def test_arrays_are_taken(value):
    found = check_vector(value, "x", 2)
    assert found.dtype == np.float64 and found.tolist() == [1., 2.]


@pytest.mark.parametrize("value", NOT_ARRAYS)
def test_what_is_no_vector_is_refused_by_name(value):
    with pytest.raises(ValueError, match="^x must be "): check_vector(value, "x")


@pytest.mark.parametrize("value, options, words", [
    ([1., 2.], dict(n=3), r"shape \(3,\), got shape \(2,\)"), ([[1.]], {}, r"shape \(any,\)"),
    ([0., -1.], dict(low=0), "at least 0 everywhere, got -1 at index 1"),
    ([2.], dict(high=1), "at most 1 everywhere, got 2"),
    ([1., np.inf], {}, "finite, got inf at index 1"),
    ([np.nan], dict(infinite=True), "without NaN, got nan at index 0")])
def test_a_vector_says_what_is_wrong(value, options, words):
    with pytest.raises(ValueError, match="x must be .*" + words): check_vector(value, "x", **options)


def test_matrices_and_lengths():
    X = np.arange(6.).reshape(3, 2)
    assert check_matrix(X, "X", d=2) is X and check_vector([], "x", empty=True).shape == (0,)
    assert check_vector([np.inf], "x", infinite=True)[0] == np.inf
    with pytest.raises(ValueError, match=r"X must be an array of shape \(any, 3\), got shape \(3, 2\)"):
        check_matrix(X, "X", d=3)
    with pytest.raises(ValueError, match=r"X must be finite, got inf at index \(0, 1\)"):
        check_matrix([[0, np.inf]], "X")
    assert check_same_length(a=[1], b=[2]) == 1
    with pytest.raises(ValueError, match="a and b must be of one length, got 1 and 2"):
        check_same_length(a=[1], b=[1, 2])


class _Undecided:
    "As the NA of pandas: it does not say whether it equals itself."
    def __ne__(self, other): raise TypeError("ambiguous")

UNDECIDED = _Undecided()

@pytest.mark.parametrize("value", [[0, 2], [.5], "ab", None, [np.nan], [[True]], [1j]])
def test_masks_hold_zero_and_one(value):
    assert check_mask([0, True, 1.], "m").tolist() == [False, True, True]
    with pytest.raises(ValueError, match="^m must be"): check_mask(value, "m")


@pytest.mark.parametrize("value", [None, "cat", [], [["a"]], [1., np.nan], ["a", None], [1j], [[1], [1, 2]],
                                   np.ma.array([1, 2], mask=[0, 1]), 3, bytearray(b"12"), memoryview(b"12"),
                                   [b"a", b"b"], np.array([1, 2], "m8[D]"), [1, UNDECIDED],
                                   np.array([np.timedelta64(1), 1], object), np.array([b"a", "a"], object),
                                   [date(2020, 1, 1), date(2021, 1, 1)], [Decimal("sNaN"), 1],
                                   [np.array("a", object), None], [{1}, {2}], [{}, "a"]])
def test_labels_are_there(value):
    assert check_labels(["b", "a"], "y", 2).tolist() == ["b", "a"]
    assert check_labels(np.array([2, 1]), "y").dtype.kind == "i"
    with pytest.raises(ValueError, match="^y must be"): check_labels(value, "y")


def test_labels_can_be_keys():
    for inner in (np.array(0), np.array([1]), [1], {}):
        value = np.array(["a", None], object)
        value[1] = inner
        with pytest.raises(ValueError, match="^y must be a vector of labels, numbers or text"):
            check_labels(value, "y")
    assert check_labels([np.array(1), np.array(0)], "y").tolist() == [1, 0]
    assert check_labels(np.array([Decimal(1), "a", 2.5, True], object), "y").shape == (4,)


@pytest.mark.parametrize("value, at", [(["a", None, "b", None], 1), ([2., 1., np.nan], 2), ([None, "a"], 0)])
def test_the_first_missing_label_is_named(value, at):
    with pytest.raises(ValueError, match=f"^y must be without missing labels, got .* at index {at}$"):
        check_labels(value, "y")


def test_boxes_have_ordered_corners():
    low, high = check_box([0, 1], [0, 2], 2)
    assert low.tolist() == [0, 1] and high.tolist() == [0, 2]
    with pytest.raises(ValueError, match="lower must be at most upper, got 1 above 0 at index 1"):
        check_box([0, 1], [1, 0])
    with pytest.raises(ValueError, match="upper must be an array of shape"): check_box([0, 1], [1])
    with pytest.raises(ValueError, match="lower must be an array of shape"): check_box([0, 1], [1, 1], 3)


@pytest.mark.parametrize("value", ["0", -1, 1.5, True, [1], math.nan])
def test_seeds_are_whole_numbers(value):
    rng = np.random.default_rng(1)
    assert check_random_state(rng) is rng
    assert check_random_state(3).random() == np.random.default_rng(3).random()
    with pytest.raises(ValueError, match="random_state must be"): check_random_state(value)
