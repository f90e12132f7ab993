package export_test

import (
	"bytes"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/answer/export"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/native"
	"github.com/hyfair/hyfair/sdk/problem"
)

// library opens a native library and binds what a test calls of it (see native.Open).
func library(t *testing.T, s native.Spec, functions any) {
	t.Helper()
	if os.Getenv(native.EnvDir) == "" {
		dir, err := filepath.Abs("../../../../.deps/lib")
		if err != nil {
			t.Fatal(err)
		}
		t.Setenv(native.EnvDir, dir)
	}
	if _, err := native.Open(s, functions); err != nil {
		t.Skipf("SKIPPED %s: %v", t.Name(), err)
	}
}

// TestHiGHSReadsTheSameModel lets a real solver's reader read the MPS and LP
// files, and compares what it holds with the model, number by number.
func TestHiGHSReadsTheSameModel(t *testing.T) {
	var h struct {
		create  func() uintptr                                                                                                           `symbol:"Highs_create"`
		destroy func(uintptr)                                                                                                            `symbol:"Highs_destroy"`
		silent  func(uintptr, string, int32) int32                                                                                       `symbol:"Highs_setBoolOptionValue"`
		read    func(uintptr, string) int32                                                                                              `symbol:"Highs_readModel"`
		rows    func(uintptr) int32                                                                                                      `symbol:"Highs_getNumRow"`
		name    func(uintptr, int32, *byte) int32                                                                                        `symbol:"Highs_getColName"`
		sense   func(uintptr, *int32) int32                                                                                              `symbol:"Highs_getObjectiveSense"`
		offset  func(uintptr, *float64) int32                                                                                            `symbol:"Highs_getObjectiveOffset"`
		integer func(uintptr, int32, *int32) int32                                                                                       `symbol:"Highs_getColIntegrality"`
		columns func(h uintptr, from, to int32, n *int32, costs, lo, hi *float64, nz *int32, start, index *int32, values *float64) int32 `symbol:"Highs_getColsByRange"`
		sides   func(h uintptr, from, to int32, n *int32, lo, hi *float64, nz *int32, start, index *int32, values *float64) int32        `symbol:"Highs_getRowsByRange"`
	}
	library(t, native.Spec{Name: "HiGHS", Files: []string{"libhighs.so"}, Hint: "make setup"}, &h)

	check := func(format string, m *problem.MILP) {
		t.Helper()
		model := h.create()
		defer h.destroy(model)
		h.silent(model, "output_flag", 0)
		path := filepath.Join(t.TempDir(), "model."+format)
		text := write(t, format, &problem.Problem{Name: "p", MILP: m})
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if status := h.read(model, path); status != 0 {
			t.Fatalf("%s: the reader returns %d", format, status)
		}
		var sense, n, nz int32
		var offset float64
		h.sense(model, &sense)
		h.offset(model, &offset)
		if (sense == -1) != m.Objective.Maximise || offset != m.Objective.Offset {
			t.Fatalf("%s: sense %d, offset %v; want maximise %v, offset %v", format, sense, offset, m.Objective.Maximise, m.Objective.Offset)
		}
		size := len(m.Columns)
		costs, lo, hi := make([]float64, size), make([]float64, size), make([]float64, size)
		starts, index, values := make([]int32, size+1), make([]int32, 1<<16), make([]float64, 1<<16)
		h.columns(model, 0, int32(size-1), &n, &costs[0], &lo[0], &hi[0], &nz, &starts[0], &index[0], &values[0])
		// LP readers number columns as they first appear: at maps ours to theirs.
		names, at := map[string]int{}, make([]int, size)
		for j := range size {
			buffer := make([]byte, 1024)
			h.name(model, int32(j), &buffer[0])
			names[string(buffer[:bytes.IndexByte(buffer, 0)])] = j
		}
		for j, name := range columnOrder(format, text) {
			k, ok := names[name]
			if !ok {
				t.Fatalf("%s: no column %q among %v", format, name, names)
			}
			at[j] = k
		}
		want := make([]float64, size)
		for _, term := range m.Objective.Terms {
			want[term.Column] = term.Coef
		}
		for j, c := range m.Columns {
			var kind int32
			k := at[j]
			h.integer(model, int32(k), &kind)
			if costs[k] != want[j] || lo[k] != c.Lo || hi[k] != c.Hi || (kind == 1) != c.Integer {
				t.Fatalf("%s, column %d: cost %v, %v to %v, kind %d; want %v, %+v", format, j, costs[k], lo[k], hi[k], kind, want[j], c)
			}
		}
		count := int(h.rows(model))
		rlo, rhi, rstart := make([]float64, count), make([]float64, count), make([]int32, count+1)
		h.sides(model, 0, int32(count-1), &n, &rlo[0], &rhi[0], &nz, &rstart[0], &index[0], &values[0])
		rstart[count] = nz
		terms := func(i int) map[int]float64 {
			out := map[int]float64{}
			for k := rstart[i]; k < rstart[i+1]; k++ {
				out[int(index[k])] = values[k]
			}
			return out
		}
		i := 0
		for r := range m.Rows {
			row := &m.Rows[r]
			if i >= count {
				t.Fatalf("%s: only %d rows", format, count)
			}
			low, high := rlo[i], rhi[i]
			if high == math.Inf(1) && row.Hi != high { // in two
				i++
				high = rhi[i]
			}
			got := terms(i)
			if low != row.Lo || high != row.Hi {
				t.Fatalf("%s, row %d (%s): %v to %v; want %v to %v", format, r, row.Name, low, high, row.Lo, row.Hi)
			}
			for _, term := range row.Terms {
				if got[at[term.Column]] != term.Coef {
					t.Fatalf("%s, row %d (%s): %v at column %d, want %v", format, r, row.Name, got[at[term.Column]], term.Column, term.Coef)
				}
			}
			i++
		}
		if i != count {
			t.Fatalf("%s: %d rows, want %d", format, count, i)
		}
	}
	inf := math.Inf(1)
	for _, format := range []string{"mps", "lp"} {
		check(format, &problem.MILP{
			Columns: []problem.Column{
				{Name: "free", Lo: -inf, Hi: inf}, {Name: "1e5", Lo: -inf, Hi: -0.1}, {Name: "E", Lo: 1e-5, Hi: inf}, {Name: "age=<30 [y]", Hi: 1, Integer: true},
				{Name: "st", Lo: -7, Hi: -3, Integer: true}, {Name: "fixed", Lo: 1.0 / 3, Hi: 1.0 / 3}, {Name: "lonely", Lo: -1, Hi: 1},
			},
			Rows: []problem.Row{
				{Name: "between", Lo: 0.1, Hi: 0.3, Terms: []problem.Term{{Column: 0, Coef: 1}, {Column: 1, Coef: -1e-05}}},
				{Name: "", Lo: -inf, Hi: 2, Terms: []problem.Term{{Column: 2, Coef: 1.0 / 3}}},
				{Name: "c", Lo: -2, Hi: inf, Terms: []problem.Term{{Column: 3, Coef: -2}, {Column: 4, Coef: 1e-7}, {Column: 5, Coef: 1e14}}},
				{Name: "C", Lo: 5, Hi: 5, Terms: []problem.Term{{Column: 4, Coef: -1}}},
			},
			Objective: problem.Objective{Maximise: true, Offset: -2.5, Terms: []problem.Term{{Column: 0, Coef: 1}, {Column: 3, Coef: -0.1}}},
		})
		f, err := export.Lookup(format)
		if err != nil {
			t.Fatal(err)
		}
		files := 0
		for i := range 40 {
			r := rand.New(rand.NewPCG(uint64(i), 5))
			q := random(r, fairness.Notions[i%4])
			lowered, err := export.Lower(q, f, export.Options{Encoding: []string{"bigm", "bigm+diff"}[i/4%2], Bounds: "linear"})
			if err != nil {
				continue
			}
			files++
			check(format, lowered[0].Problem.MILP)
		}
		if files < 10 {
			t.Errorf("only %d of 40 random questions were written", files)
		}
	}
}

// TestZ3AnswersTheScripts gives the smt2 files, as they are, to Z3, and compares
// its answers with enumeration.
func TestZ3AnswersTheScripts(t *testing.T) {
	var z struct {
		config  func() uintptr               `symbol:"Z3_mk_config"`
		context func(uintptr) uintptr        `symbol:"Z3_mk_context"`
		eval    func(uintptr, string) string `symbol:"Z3_eval_smtlib2_string"`
		destroy func(uintptr)                `symbol:"Z3_del_context"`
		handler func(uintptr, uintptr)       `symbol:"Z3_set_error_handler"`
	}
	library(t, native.Spec{Name: "Z3", Files: []string{"libz3.so"}, Hint: "make setup"}, &z)
	smt2, err := export.Lookup("smt2")
	if err != nil {
		t.Fatal(err)
	}
	answers := map[string]int{}
	for i := range 80 {
		r := rand.New(rand.NewPCG(uint64(i), 6))
		q := random(r, fairness.Notions[i%4])
		lowered, err := export.Lower(q, smt2, export.Options{Encoding: "smt", Bounds: "linear"})
		unfair := false
		eachPair(q, func(_, _ []float64, l1, l2 *big.Rat) { unfair = unfair || violates(q, l1, l2) })
		if err != nil {
			if unfair {
				t.Fatalf("query %d is unfair and was not written: %v", i, err)
			}
			continue
		}
		context := z.context(z.config())
		z.handler(context, 0) // else it ends the process where values of no model are asked for
		out := z.eval(context, write(t, "smt2", lowered[0].Problem))
		z.destroy(context)
		answer, _, _ := strings.Cut(out, "\n")
		answers[answer]++
		switch {
		case answer != "sat" && answer != "unsat":
			t.Fatalf("query %d: %s", i, out)
		case answer == "unsat" && unfair:
			t.Errorf("query %d (%s): unsat, and two copies violate the notion", i, q.Notion)
		case answer == "sat" && !unfair && q.Notion != fairness.Score:
			t.Errorf("query %d (%s): sat, and no two copies violate the notion", i, q.Notion)
		case answer == "sat" && !strings.Contains(out, "(("):
			t.Errorf("query %d: no values: %s", i, out)
		}
	}
	if answers["sat"] < 10 || answers["unsat"] < 5 {
		t.Errorf("answers %v: the sample does not exercise both", answers)
	}
}
