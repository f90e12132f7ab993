from __future__ import annotations

from fractions import Fraction

import pytest

from hyfair.plugin import InvalidProblem, smt


def test_commands():
    text = '(set-logic QF_LRA) ; a ) comment\n(set-info :x "(")(declare-const |a ) b| Int)\n(assert (= |a ) b| 1))'
    assert list(smt.commands(text)) == [
        ("set-logic", "(set-logic QF_LRA)"), ("declare-const", "(declare-const |a ) b| Int)"),
        ("assert", "(assert (= |a ) b| 1))")]
    assert list(smt.commands(" ; nothing\n")) == []


@pytest.mark.parametrize("text, line", [
    ("(assert (= x 1)", 1), ("(assert true))", 1), ("\nassert", 2), ("(assert true) x (assert true)", 1),
    ("(assert true)\n(check-sat)", 2), ("(exit)", 1), ("()", 1), ("(assert |x)", 1), ('(assert "x)', 1), ("; x\n)", 2),
])
def test_other_texts_are_refused(text, line):
    with pytest.raises(InvalidProblem) as e:
        list(smt.commands(text))
    assert f"line {line}:" in str(e.value)


def test_values():
    text = "((x 3)\n (|a (b| (- (/ 1 3))) (y 2.5) (p true) (q false) (z (/ (- 4) 8)) (w (- 2.0)))"
    assert smt.values(text) == [3, Fraction(-1, 3), Fraction(5, 2), 1, 0, Fraction(-1, 2), -2]
    for bad in ("((x (root-obj (+ (^ x 2) (- 2)) 1)))", "((x y))"):
        with pytest.raises(ValueError):
            smt.values(bad)
