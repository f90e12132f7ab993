from __future__ import annotations

import math
from fractions import Fraction

import pytest
from people import mixed

from hyfair.plugin import (
    MILP, Column, ColumnBound, Condition, Delta, Form, Goal, Head, Interval, Layer, Network, Notion, Objective,
    Problem, Query, Row, Script, Set, Stack, Symbol, Terms, sigmoid)


def knapsack() -> MILP:
    return MILP(
        [Column(hi=1, integer=True) for _ in range(3)],
        [Row("r", hi=5.0, terms=Terms([0, 1, 2], [2.0, 3.0, 4.0]))],
        Objective(True, 1.5, Terms([0, 2], [1.0, 5.0])), sets=[Set("s", [0, 1])])


def test_violation():
    m = knapsack()
    m.check()
    assert m.violation([1, 0, 0]) == 0 and m.value([1, 0, 0]) == 2.5
    assert m.violation([0, 1, 1]) == 2  # the row
    assert m.violation([1, 1, 0]) == 1  # the set
    assert m.violation([0.25, 0, 0]) == 0.25  # a whole number
    assert m.violation([0, 0, -3]) == 3  # a bound
    assert m.violation([math.nan, 0, 0]) == math.inf
    assert m.violation([math.inf, 0, 0]) == math.inf


@pytest.mark.parametrize("fault", [
    lambda m: setattr(m.columns[0], "lo", 2),
    lambda m: setattr(m.columns[0], "lo", math.nan),
    lambda m: setattr(m.columns[0], "hi", -math.inf),
    lambda m: setattr(m.rows[0], "lo", 6),
    lambda m: setattr(m.rows[0].terms, "columns", [0, 1]),
    lambda m: setattr(m.rows[0].terms, "columns", [0, 1, 1]),
    lambda m: setattr(m.rows[0].terms, "columns", [0, 1, 3]),
    lambda m: setattr(m.rows[0].terms, "columns", [0, 1, -1]),
    lambda m: setattr(m.rows[0].terms, "coefs", [1.0, 2.0, math.inf]),
    lambda m: setattr(m.objective, "offset", math.nan),
    lambda m: setattr(m, "start", [1.0]),
    lambda m: setattr(m.sets[0], "columns", [0, 7]),
])
def test_faulty_milps(fault):
    m = knapsack()
    fault(m)
    with pytest.raises(ValueError):
        Problem(milp=m).check()


def test_forms_and_goals():
    assert (Problem(milp=knapsack()).form, Problem(milp=knapsack()).goal) == (Form.MILP, Goal.MAXIMISE)
    assert Problem(milp=MILP([])).goal is Goal.DECIDE
    script = Script("(declare-const x Int)", [Symbol("x", "Int")], objective="x")
    assert (Problem(smt=script).form, Problem(smt=script).goal) == (Form.SMT, Goal.MAXIMISE)
    for bad in (Problem(), Problem(milp=MILP([]), smt=script), Problem(smt=Script(" ", []))):
        with pytest.raises(ValueError):
            bad.check()


def test_witnesses():
    space = mixed()
    sees_age = Network([Layer("only", 5, 1, [10.0, 0.0, 0.0, 0.0, 0.0], [-4.0], False)], Head.SIGMOID, 64)  # age / 10 - 4
    old, young = [95.0, 1.0, 1.0, -1.0, 0.0], [20.0, 1.0, 1.0, -1.0, 0.0]  # 5.5 and -2
    forty = [40.0] + young[1:]  # 0

    def query(notion: Notion, epsilon=None, **more) -> Query:
        return Query(sees_age, space, space.whole(), notion, Goal.DECIDE, epsilon, **more)

    gap = Fraction(sigmoid(5.5) - sigmoid(-2.0))
    for notion, epsilon, one, two, want in [
        (Notion.DECISION, None, old, young, True), (Notion.DECISION, None, young, old, False),
        (Notion.DECISION, None, old, forty, True), (Notion.DECISION_STRICT, None, old, forty, False),
        (Notion.DECISION_STRICT, None, old, young, True), (Notion.DECISION, None, forty, young, False),
        (Notion.LOGIT, Fraction(7), old, young, True), (Notion.LOGIT, Fraction(15, 2), old, young, False),
        (Notion.SCORE, gap - Fraction(1, 100), old, young, True), (Notion.SCORE, gap, old, young, False),
    ]:
        assert query(notion, epsilon).is_witness(one, two) is want, (notion, epsilon, one, two)
    few = [[Condition(1, Interval(0, 3))]]
    assert query(Notion.DECISION, require=few).is_witness(old, young)
    assert not query(Notion.DECISION, forbid=few).is_witness(old, young)
    assert not query(Notion.DECISION, require=[[Condition(1, Interval(2, 3))]]).is_witness(old, young)
    assert not query(Notion.DECISION, exclude=[[0.0] + old[1:4] + [1.0]]).is_witness(old, young)
    hours = [95.0, 5.0, 1.0, -1.0, 0.0]  # which the space forbids
    assert not query(Notion.DECISION).is_witness(hours, [20.0] + hours[1:])


def test_stack():
    original = Problem("p", milp=knapsack())
    stack = Stack(original)
    row = Row("more", hi=1.0, terms=Terms([0], [1.0]))
    assert len(stack.apply(Delta(push=1, rows=[row], column_bounds=[ColumnBound(1, 0, 0)])).milp.rows) == 2
    top = stack.apply(Delta(push=1, objective=Objective(), start=[0.0, 0.0, 0.0]))
    assert (top.goal, top.milp.columns[1].hi, top.milp.start) == (Goal.DECIDE, 0, [0.0] * 3)
    # A delta that does not fit changes nothing.
    for bad in (Delta(pop=3), Delta(column_bounds=[ColumnBound(9, 0, 1)]), Delta(rows=[Row(terms=Terms([9], [1.0]))]),
                Delta(assertions="(assert true)"), Delta(push=1, start=[1.0]), Delta(push=-1)):
        with pytest.raises(ValueError):
            stack.apply(bad)
    assert stack.apply(Delta()).goal is Goal.DECIDE
    back = stack.apply(Delta(pop=2))
    assert len(back.milp.rows) == 1 and back.milp.columns[1].hi == 1 and back.goal is Goal.MAXIMISE
    assert original.milp == knapsack()


def test_stack_of_a_script():
    stack = Stack(Problem(smt=Script("(a)", [])))
    assert stack.apply(Delta(push=1, assertions="(b)")).smt.text == "(a)(b)"
    assert stack.apply(Delta(pop=1, assertions="(c)")).smt.text == "(a)(c)"
    with pytest.raises(ValueError, match="rows or columns"):
        stack.apply(Delta(rows=[Row()]))
