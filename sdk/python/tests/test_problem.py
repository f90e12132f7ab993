from __future__ import annotations

import math

import pytest

from hyfair import MILP, Column, ColumnBound, Delta, Form, Goal, Objective, Problem, Row, Script, Set, Stack, Symbol, Terms


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
