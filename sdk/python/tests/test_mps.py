from __future__ import annotations

import ctypes
import math
import os
import pathlib

import pytest

from hyfair.plugin import MILP, Column, Objective, Row, Set, Terms, draw, milp

FOLDER = os.environ.get("HYFAIR_LIB_DIR") or pathlib.Path(__file__).resolve().parents[3] / ".deps" / "lib"


def highs(path, columns):
    """HiGHS's status of the model, the objective and the point, from the file."""
    try:
        lib = ctypes.CDLL(str(pathlib.Path(FOLDER) / "libhighs.so"))
    except OSError as e:
        pytest.skip(f"HiGHS is missing ({e}): scripts/setup.sh highs brings it")
    lib.Highs_create.restype, lib.Highs_getObjectiveValue.restype = ctypes.c_void_p, ctypes.c_double
    h = ctypes.c_void_p(lib.Highs_create())
    try:
        lib.Highs_setBoolOptionValue(h, b"output_flag", 0)
        assert lib.Highs_readModel(h, str(path).encode()) == 0
        assert lib.Highs_run(h) == 0
        point, rest = (ctypes.c_double * columns)(), [(ctypes.c_double * 64)() for _ in range(3)]
        lib.Highs_getSolution(h, point, rest[0], rest[1], rest[2])
        return lib.Highs_getModelStatus(h), lib.Highs_getObjectiveValue(h), list(point)
    finally:
        lib.Highs_destroy(h)


def scipy_says(m):
    """The optimum of the problem as it is; None where there is no point."""
    optimize = pytest.importorskip("scipy.optimize")
    import numpy
    sign = -1 if m.objective.maximise else 1
    dense = lambda t: [math.fsum(a for c, a in zip(t.columns, t.coefs) if c == j) for j in range(len(m.columns))]
    r = optimize.milp(
        sign * numpy.array(dense(m.objective.terms)), integrality=[int(c.integer) for c in m.columns],
        bounds=optimize.Bounds([c.lo for c in m.columns], [c.hi for c in m.columns]),
        constraints=[optimize.LinearConstraint([dense(r.terms)], r.lo, r.hi) for r in m.rows])
    assert r.status in (0, 2)
    return sign * r.fun + m.objective.offset if r.status == 0 else None


def drawn(rng):
    """Columns of each kind, rows of each kind, either direction."""
    n = 6
    columns = [Column("of the same name", -draw.below(rng, 4), draw.below(rng, 5), i % 2 == 0) for i in range(n)]
    columns[1], columns[3] = Column(lo=0.25, hi=math.inf), Column(lo=-math.inf, hi=1.5)
    terms = lambda: Terms(range(n), [draw.below(rng, 19) / 3 - 3 for _ in range(n)])
    sides = [(-math.inf, 4.0), (-6.0, math.inf), (-2.0, 5.1), (0.3, 0.3), (-math.inf, math.inf)]
    rows = [Row(f"row {i}", lo, hi, terms()) for i, (lo, hi) in enumerate(sides)]
    bounds = [Row("", -9.0, 9.0, Terms([i], [1.0])) for i in (1, 3)]
    return MILP(columns, rows + bounds, Objective(rng.random() < 0.5, draw.below(rng, 9) - 4.5, terms()))


def test_highs_reads_what_scipy_is_given(tmp_path):
    rng, solved = draw.generator(5), 0
    for k in range(30):
        m, path = drawn(rng), tmp_path / f"{k}.mps"
        milp.write_mps(m, path)
        want, (status, got, point) = scipy_says(m), highs(path, len(m.columns))
        if want is None:
            assert status in (8, 9)  # infeasible, or that or unbounded
            continue
        solved += 1
        assert status == 7 and got == pytest.approx(want, abs=1e-6)
        assert m.violation(point) < 1e-5 and m.value(point) == pytest.approx(got, abs=1e-6)
    assert solved >= 10


def test_what_the_file_says(tmp_path):
    m = MILP([Column(hi=1, integer=True), Column(lo=-math.inf)], [Row(lo=1, hi=2, terms=Terms([0], [0.1]))],
             Objective(True, 0.5, Terms([0], [1.0])), sets=[Set("one", [0, 1])])
    milp.write_mps(m, tmp_path / "m.mps")
    assert (tmp_path / "m.mps").read_text().split("\n") == [
        "NAME hyfair", "OBJSENSE", "    MAX", "ROWS", " N obj", " G r0", " L r0u", "COLUMNS", "    m0 'MARKER' 'INTORG'", "    c0 obj 1.0",
        "    c0 r0 0.1", "    c0 r0u 0.1", "    n0 'MARKER' 'INTEND'", "    c1 obj 0", "RHS", "    rhs obj -0.5", "    rhs r0 1.0", "    rhs r0u 2.0",
        "BOUNDS", " LO bnd c0 0.0", " UP bnd c0 1.0", " MI bnd c1", " PL bnd c1", "SOS", " S1 s0", "    c0 1", "    c1 2", "ENDATA", ""]
    with pytest.raises(ValueError, match="row 0"):
        milp.write_mps(MILP([Column()], [Row(lo=2, hi=1)]), tmp_path / "no.mps")
    assert not (tmp_path / "no.mps").exists()
