package crosscheck

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/hyfair/hyfair/host/internal/answer/certify"
	"github.com/hyfair/hyfair/host/internal/answer/certify/engine"
	"github.com/hyfair/hyfair/host/internal/plugin/discover"
	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/internal/tier"
)

// classNet is a network of whole numbers: 3 inputs, some ReLUs, some classes.
type classNet struct {
	in, out [][]int // rows of weights, the bias behind
}

func drawClassNet(r *rand.Rand) (n classNet) {
	draw := func(rows, columns, most int) [][]int {
		out := make([][]int, rows)
		for i := range out {
			for range columns + 1 {
				out[i] = append(out[i], r.IntN(2*most+1)-most)
			}
		}
		return out
	}
	hidden := 2 + r.IntN(3)
	n = classNet{draw(hidden, 3, 2), draw(3+r.IntN(3), hidden, 2)}
	for _, row := range n.in { // the protected input matters little, so that some are fair
		row[2] = r.IntN(2) * r.IntN(2)
	}
	return n
}

func (n classNet) classes() int { return len(n.out) }

// file is the network as an ONNX file.
func (n classNet) file(i int) (name, text string) { return "m.onnx", string(n.onnx(i%2 == 0)) }

// winners are the classes with the largest output.
func (n classNet) winners(x [3]int) []int {
	hidden := make([]int, len(n.in))
	for i, row := range n.in {
		hidden[i] = max(0, row[0]*x[0]+row[1]*x[1]+row[2]*x[2]+row[3])
	}
	outputs := make([]int, len(n.out))
	for class, row := range n.out {
		outputs[class] = row[len(hidden)]
		for i, h := range hidden {
			outputs[class] += row[i] * h
		}
	}
	return largest(outputs)
}

// largest returns the places of the largest number.
func largest(of []int) (all []int) {
	most := slices.Max(of)
	for k, v := range of {
		if v == most {
			all = append(all, k)
		}
	}
	return all
}

// onnx is the network in a file, as logits or as the probabilities of a softmax.
func (n classNet) onnx(softmax bool) []byte {
	type message = []byte
	text := func(p message, field protowire.Number, v string) message {
		return protowire.AppendString(protowire.AppendTag(p, field, protowire.BytesType), v)
	}
	number := func(p message, field protowire.Number, v uint64) message {
		return protowire.AppendVarint(protowire.AppendTag(p, field, protowire.VarintType), v)
	}
	var graph message
	tensor := func(name string, dims []int, at func(i int) int) {
		var d, data, t message
		size := 1
		for _, of := range dims {
			d = protowire.AppendVarint(d, uint64(of))
			size *= of
		}
		for i := range size {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(at(i))))
		}
		t = text(text(number(text(t, 1, string(d)), 2, 1), 8, name), 9, string(data))
		graph = text(graph, 5, string(t))
	}
	node := func(op, output string, inputs ...string) {
		var p message
		for _, in := range inputs {
			p = text(p, 1, in)
		}
		graph = text(graph, 1, string(text(text(text(p, 2, output), 3, op+output), 4, op)))
	}
	layer := func(name, to, from string, rows [][]int) {
		units, inputs := len(rows), len(rows[0])-1
		tensor(name+"w", []int{inputs, units}, func(i int) int { return rows[i%units][i/units] })
		tensor(name+"b", []int{units}, func(i int) int { return rows[i][inputs] })
		node("Gemm", to, from, name+"w", name+"b")
	}
	layer("first", "a", "in", n.in)
	node("Relu", "h", "a")
	if softmax {
		layer("last", "l", "h", n.out)
		node("Softmax", "out", "l")
	} else {
		layer("last", "out", "h", n.out)
	}
	graph = text(text(text(graph, 2, "g"), 11, string(text(nil, 1, "in"))), 12, string(text(nil, 1, "out")))
	return text(text(number(nil, 1, 8), 7, string(graph)), 8, string(number(nil, 2, 13)))
}

// changed reports copies between which a class that wins alone does not win any more, or
// with strict, is not even among those that win.
func changed(a, b []int, strict bool) bool {
	alone := func(a, b []int) bool {
		return len(a) == 1 && (strict && !slices.Contains(b, a[0]) || !strict && !slices.Equal(a, b))
	}
	return alone(a, b) || alone(b, a)
}

// TestAnyClass: class: any is answered as enumeration answers it, ties as documented, with a
// witness whose class changes.
func TestAnyClass(t *testing.T) {
	tier.NeedUsual(t)
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	catalogue, err := discover.New(filepath.Dir(plugintest.Build(t, "solver-bnb")), nil)
	if err != nil {
		t.Fatal(err)
	}
	const width, groups = 4, 3
	r := rand.New(rand.NewPCG(1, 17))
	seen := map[string]int{}
	for i := range tier.Count(24, 80) {
		n, notion, output := drawClassNet(r), "decision", "score"
		strict, softmax := i%2 == 1, i%4 < 2
		if strict {
			notion = "decision-strict"
		}
		if !softmax {
			output = "logit"
		}
		want, ties := "fair", false
		for x := range width * width {
			for g := range groups {
				a := n.winners([3]int{x / width, x % width, g})
				ties = ties || len(a) > 1
				for h := range g {
					if changed(a, n.winners([3]int{x / width, x % width, h}), strict) {
						want = "unfair"
					}
				}
			}
		}
		dir := t.TempDir()
		for name, text := range map[string][]byte{
			"m.onnx": n.onnx(softmax),
			"study.yaml": fmt.Appendf(nil, "model: {file: m.onnx, class: any}\noutput: %s\nnotion: %s\nfeatures: {a: {integer: 0..%d}, b: {integer: 0..%d}, g: {integer: 0..%d}}\nprotected: {g: all}\n",
				output, notion, width-1, width-1, groups-1),
		} {
			if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		s := &session.Session{Plugins: catalogue, Threads: 1, Jobs: 1, Begun: time.Now(), JournalFile: filepath.Join(dir, "j.db")}
		got, err := certify.Answer(t.Context(), s, certify.Request{Spec: question.Spec{Study: dir}, Climb: i%3 > 0, Seed: 1, SoftTimeout: time.Minute})
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if err != nil {
			t.Fatalf("%d: %v", i, err)
		}
		if got.Verdict != want {
			t.Fatalf("%d: %s, by enumeration %s, of %+v", i, got.Verdict, want, n)
		}
		var text strings.Builder
		if err := got.Document().Write(&text, view.Text, view.Options{}); err != nil || !strings.Contains(text.String(), "all together: "+strings.ToUpper(want)) {
			t.Errorf("%d: %v, %s", i, err, text.String())
		}
		seen[fmt.Sprint(want, " ties ", ties)]++
		last := got.Questions[len(got.Questions)-1]
		if want == "fair" {
			if len(got.Questions) != len(n.out) {
				t.Errorf("%d: fair by %d of %d classes", i, len(got.Questions), len(n.out))
			}
			continue
		}
		var won [2][]int
		for k, copies := range [2][2]map[string]float64{{last.Witness.X1, last.Witness.Z1}, {last.Witness.X2, last.Witness.Z2}} {
			x := copies[0]
			won[k] = n.winners([3]int{int(x["a"]), int(x["b"]), int(copies[1]["g"])})
		}
		if last.Verdict != engine.Unfair.String() || !slices.Equal(won[0], []int{*last.Class}) || !changed(won[0], won[1], strict) {
			t.Errorf("%d: the witness of class %d is won by %v and %v", i, *last.Class, won[0], won[1])
		}
		for k, said := range []*int{last.Witness.Class1, last.Witness.Class2} {
			if single := len(won[k]) == 1; (said != nil) != single || single && *said != won[k][0] {
				t.Errorf("%d: copy %d is said to get %v; %v win", i, k+1, said, won[k])
			}
		}
	}
	if len(seen) < 4 {
		t.Errorf("of the cases there are only %v", seen)
	}
}
