"""cvc5 as a solver plugin: SMT-LIB 2 scripts in exact rational arithmetic.

cvc5 holds the interpreter lock while it checks, and rarely checks its time limit. So it
runs in a separate process, which is ended if it overruns.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, List

from hyfair.plugin import (
    Description, Exactness, Form, Goal, Incompatible, InvalidProblem, Library, Option, Problem, Reason, Result,
    Script, Service, SolveOptions, Solver, Status, option, serve, smt)

OPTIONS = [
    Option("decision", "internal", "how to choose decisions: internal, justification or stoponly"),
    Option("unate", "all", "unate lemmas to learn before the search: all, eqs, ineqs or none"),
]
WORDS = {"decision": ["internal", "justification", "stoponly"], "unate": ["all", "eqs", "ineqs", "none"]}
NATIVE = {"decision": "decision", "unate": "unate-lemmas"}
MOST = 2**64 - 1


class CVC5(Solver):
    """The solver of --solver cvc5."""

    def describe(self) -> Description:
        return Description(
            name="cvc5", version="1.0.0", summary="SMT-LIB 2 scripts with cvc5 (exact rational arithmetic)",
            serves=[Service(Form.SMT, Goal.DECIDE)], exactness=Exactness.EXACT, options=OPTIONS,
            libraries=[Library.of_package("cvc5", "scripts/setup.sh solvers")])

    def solve(self, problem: Problem, options: SolveOptions) -> Result:
        try:
            import cvc5
        except ImportError as e:
            raise Incompatible(f"{e}: run scripts/setup.sh solvers to install cvc5") from e
        assert problem.smt is not None  # only this form is served
        terms = cvc5.TermManager()
        solver = cvc5.Solver(terms)
        for name, value in settings(options).items():
            solver.setOption(name, value)
        names = cvc5.SymbolManager(terms)
        declared = read(cvc5, solver, names, problem.smt)
        answer = solver.checkSat()
        work = solver.getStatistics().get(True)["resource::resourceUnitsUsed"]["value"]
        if answer.isSat():
            return Result(Status.FEASIBLE, native="sat", nodes=work, values=[
                rational(solver.getValue(declared[y.name])) for y in problem.smt.symbols])
        if answer.isUnsat():
            return Result(Status.INFEASIBLE, native="unsat", nodes=work)
        why = str(answer.getUnknownExplanation()).rsplit(".", 1)[-1]
        return Result(Status.UNKNOWN, REASONS.get(why, Reason.OTHER), native=f"unknown ({why})", nodes=work)


REASONS = {
    "REQUIRES_FULL_CHECK": Reason.INCOMPLETE,
    "INCOMPLETE": Reason.INCOMPLETE,
    "TIMEOUT": Reason.TIME_LIMIT,
    "RESOURCEOUT": Reason.WORK_LIMIT,
    "MEMOUT": Reason.MEMORY_LIMIT,
    "INTERRUPTED": Reason.INTERRUPTED,
    "UNSUPPORTED": Reason.INCOMPLETE,
    "OTHER": Reason.OTHER,
    "REQUIRES_CHECK_AGAIN": Reason.INCOMPLETE,
    "UNKNOWN_REASON": Reason.OTHER,
}
"""By cvc5's UnknownExplanation, complete up to 1.4."""


def settings(options: SolveOptions) -> dict[str, str]:
    """cvc5's options for a call."""
    given = option.read(OPTIONS, options.options)
    out = {NATIVE[name]: given.choice(name, *words) for name, words in WORDS.items()}
    out.update({"produce-models": "true", "seed": str(options.seed % MOST), "sat-random-seed": str(options.seed % 2**32)})
    if options.time_limit is not None:
        out["tlimit-per"] = str(max(1, int(options.time_limit * 1000)))
    if options.work_limit is not None:
        out["rlimit-per"] = str(options.work_limit)
    return out


def read(cvc5: Any, solver: Any, names: Any, script: Script) -> dict[str, Any]:
    """Asserts the script, and returns its constants by name."""
    text = "\n".join(command for _, command in smt.commands(script.text))
    parser = cvc5.InputParser(solver, names)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text if "(set-logic" in text else "(set-logic ALL)\n" + text, "script")
    try:
        while not (command := parser.nextCommand()).isNull():
            said = command.invoke(solver, names)
            if said.startswith("(error"):
                raise InvalidProblem(f"cvc5 says: {said}")
    except RuntimeError as e:  # a text that does not parse
        raise InvalidProblem(f"cvc5 says: {e}") from e
    declared = {term.getSymbol(): term for term in names.getDeclaredTerms()}
    for symbol in script.symbols:
        if symbol.name not in declared:
            raise InvalidProblem(f"the script declares no constant {symbol.name!r}")
    return declared


def rational(term: Any) -> Fraction:
    """The exact value of a constant of the model."""
    if term.isBooleanValue():
        return Fraction(term.getBooleanValue())
    if term.isIntegerValue():
        return Fraction(term.getIntegerValue())
    return Fraction(term.getRealValue())


if __name__ == "__main__":
    serve.solver(CVC5(), apart=True)
