package export_test

import (
	"bytes"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/host/internal/answer/export"
	"github.com/hyfair/hyfair/sdk/problem"
)

// awkward are numbers that a careless writer mangles.
var awkward = []float64{
	1e-05, -1e-05, 0.1, 1.0 / 3, -2.0 / 3, math.Copysign(0, -1), 5e-324, 2.2250738585072014e-308 / 3, 1e300, -1e300,
	1 << 53, 123456789.123456789, math.Nextafter(1, 2), 1e21, 1e-7, 100000,
}

func number() *rapid.Generator[float64] {
	return rapid.OneOf(rapid.SampledFrom(awkward), rapid.Float64Range(-1e6, 1e6))
}

// name draws names that are illegal, alike, or words of a format.
func name() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.SampledFrom([]string{"", "x", "X", "x 1", "x_1", "x#1", "x!1", "e5", "E", "1e5", "free", "FREE", "inf", "End", "st", "obj", "OBJ",
			"rhs", "é", "a\nb", "a\tb", "\x00", "*", "$", ".x", "n1.1#1 active", "v_x", "x_2", "General", strings.Repeat("long", 100)}),
		rapid.String())
}

func bounds() *rapid.Generator[[2]float64] {
	return rapid.Custom(func(t *rapid.T) [2]float64 {
		b := [2]float64{number().Draw(t, "lo"), number().Draw(t, "hi")}
		if b[0] > b[1] {
			b[0], b[1] = b[1], b[0]
		}
		switch rapid.IntRange(0, 4).Draw(t, "kind") {
		case 0:
			b[0] = math.Inf(-1)
		case 1:
			b[1] = math.Inf(1)
		case 2:
			b[1] = b[0]
		case 3:
			if rapid.Bool().Draw(t, "free") {
				b = [2]float64{math.Inf(-1), math.Inf(1)}
			}
		}
		return b
	})
}

func anyMILP() *rapid.Generator[*problem.MILP] {
	return rapid.Custom(func(t *rapid.T) *problem.MILP {
		m := &problem.MILP{}
		for range rapid.IntRange(1, 6).Draw(t, "columns") {
			b := bounds().Draw(t, "bounds")
			m.Columns = append(m.Columns, problem.Column{Name: name().Draw(t, "column"), Lo: b[0], Hi: b[1], Integer: rapid.Bool().Draw(t, "integer")})
		}
		terms := func() []problem.Term {
			var out []problem.Term
			for j := range m.Columns {
				if rapid.Bool().Draw(t, "here") {
					out = append(out, problem.Term{Column: j, Coef: number().Draw(t, "coef")})
				}
			}
			return out
		}
		for range rapid.IntRange(0, 6).Draw(t, "rows") {
			b := bounds().Draw(t, "sides")
			m.Rows = append(m.Rows, problem.Row{Name: name().Draw(t, "row"), Lo: b[0], Hi: b[1], Terms: terms()})
		}
		for range rapid.IntRange(0, 2).Draw(t, "sets") {
			columns := rapid.SliceOfNDistinct(rapid.IntRange(0, len(m.Columns)-1), 1, len(m.Columns), rapid.ID[int]).Draw(t, "set")
			m.SOS1 = append(m.SOS1, problem.SOS1{Name: name().Draw(t, "name"), Columns: columns})
		}
		m.Objective = problem.Objective{Maximise: rapid.Bool().Draw(t, "maximise"), Offset: number().Draw(t, "offset"), Terms: terms()}
		return m
	})
}

// TestFilesSayTheSameModel writes models of awkward names and numbers and reads
// them back: every coefficient, side, bound, kind and set, to the last bit.
func TestFilesSayTheSameModel(t *testing.T) {
	for format, read := range map[string]func(fataler, string) *readModel{"mps": readMPS, "lp": readLP} {
		t.Run(format, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				m := anyMILP().Draw(t, "model")
				text := write(t, format, &problem.Problem{Name: name().Draw(t, "problem"), MILP: m}, "a comment\nof two lines", name().Draw(t, "comment"))
				got := read(t, text)
				columns, rows := columnOrder(format, text), rowOrder(format, text)
				for _, list := range [][]string{columns, rows} {
					legal(t, list)
				}
				sameModel(t, m, columns, got, rows)
				if len(got.sets) != len(m.SOS1) {
					t.Fatalf("%d sets, want %d", len(got.sets), len(m.SOS1))
				}
				for _, s := range m.SOS1 {
					var want []string
					for _, c := range s.Columns {
						want = append(want, columns[c])
					}
					found := false
					for _, list := range got.sets {
						found = found || slices.Equal(list, want)
					}
					if !found {
						t.Fatalf("no set %v among %v", want, got.sets)
					}
				}
			})
		})
	}
}

// legal asks that names can stand in both formats and differ even without case.
func legal(t *rapid.T, list []string) {
	seen := map[string]bool{}
	for _, n := range list {
		if !regexp.MustCompile(`^[A-DF-Za-df-z][A-Za-z0-9_.]*$`).MatchString(n) || len(n) > 255 {
			t.Fatalf("illegal name %q", n)
		}
		if slices.Contains([]string{"free", "inf", "infinity", "st", "bounds", "end", "general", "subject"}, strings.ToLower(n)) {
			t.Fatalf("the name %q is a word of the format", n)
		}
		if seen[strings.ToLower(n)] {
			t.Fatalf("the name %q twice", n)
		}
		seen[strings.ToLower(n)] = true
	}
}

// columnOrder lists the columns as the file declares them: MPS by column, LP in
// its bounds.
func columnOrder(format, text string) []string {
	var out []string
	if format == "mps" {
		_, after, _ := strings.Cut(text, "\nCOLUMNS\n")
		for line := range strings.Lines(after) {
			f := strings.Fields(line)
			if !strings.HasPrefix(line, " ") {
				break
			}
			if f[1] != "'MARKER'" && !slices.Contains(out, f[0]) {
				out = append(out, f[0])
			}
		}
		return out
	}
	_, after, _ := strings.Cut(text, "\nBounds\n")
	for line := range strings.Lines(after) {
		f := strings.Fields(line)
		switch {
		case !strings.HasPrefix(line, " "):
			return out
		case len(f) == 5:
			out = append(out, f[2])
		default:
			out = append(out, f[0])
		}
	}
	return out
}

func rowOrder(format, text string) []string {
	var out []string
	if format == "mps" {
		_, after, _ := strings.Cut(text, "\nROWS\n")
		for line := range strings.Lines(after) {
			if !strings.HasPrefix(line, " ") {
				break
			}
			if f := strings.Fields(line); f[0] != "N" {
				out = append(out, f[1])
			}
		}
		return out
	}
	_, after, _ := strings.Cut(text, "\nSubject To\n")
	for line := range strings.Lines(after) {
		if !strings.HasPrefix(line, " ") {
			break
		}
		if first := strings.Fields(line)[0]; strings.HasSuffix(first, ":") {
			out = append(out, strings.TrimSuffix(first, ":"))
		}
	}
	return out
}

func write(t fataler, format string, p *problem.Problem, comments ...string) string {
	t.Helper()
	f, err := export.Lookup(format)
	if err != nil {
		t.Fatalf("%v", err)
	}
	var b bytes.Buffer
	if err := export.Write(&b, f, p, comments...); err != nil {
		t.Fatalf("%v", err)
	}
	return b.String()
}

func TestWhatNoFileCanSay(t *testing.T) {
	row := func(lo, hi float64) *problem.Problem {
		return &problem.Problem{MILP: &problem.MILP{Columns: []problem.Column{{Name: "x", Hi: 1}}, Rows: []problem.Row{{Name: "r", Lo: lo, Hi: hi}}}}
	}
	for name, c := range map[string]struct {
		format string
		p      *problem.Problem
		want   string
	}{
		"an infinite side":      {"mps", row(math.Inf(1), math.Inf(1)), "no number lies between"},
		"the other way":         {"lp", row(math.Inf(-1), math.Inf(-1)), "no number lies between"},
		"no columns in LP":      {"lp", &problem.Problem{MILP: &problem.MILP{}}, "without columns"},
		"a MILP as a script":    {"smt2", row(0, 1), "smt form"},
		"a script as MPS":       {"mps", &problem.Problem{SMT: &problem.Script{Text: "(assert true)"}}, "milp form"},
		"a problem of no form":  {"mps", &problem.Problem{}, "0 forms"},
		"crossed bounds":        {"mps", &problem.Problem{MILP: &problem.MILP{Columns: []problem.Column{{Lo: 2, Hi: 1}}}}, "bounds 2 to 1"},
		"a script as a network": {"vnnlib", &problem.Problem{SMT: &problem.Script{Text: "(assert true)"}}, "network form"},
	} {
		f, err := export.Lookup(c.format)
		if err != nil {
			t.Fatal(err)
		}
		if err := export.Write(&bytes.Buffer{}, f, c.p); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want an error that says %q", name, err, c.want)
		}
	}
	if _, err := export.Lookup("nl"); err == nil || !strings.Contains(err.Error(), "smt2, mps, lp, vnnlib") {
		t.Errorf("an unknown format: %v", err)
	}
}
