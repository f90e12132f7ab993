package export_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/big"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/hyfair/hyfair/host/internal/answer/export"
	"github.com/hyfair/hyfair/internal/script"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// TestProductComputesBothCopies runs the ONNX file in exact arithmetic at every
// pair of copies of small random queries: its outputs are the copies' logits,
// and the property holds at every violation. In the notions that need no
// outer description it holds nowhere else but on the border.
func TestProductComputesBothCopies(t *testing.T) {
	tier.NeedUsual(t)
	violations, files := 0, 0
	for i := range 100 {
		r := rand.New(rand.NewPCG(uint64(i), 9))
		q := random(r, fairness.Notions[i%4])
		if i%3 == 0 {
			q.Model.(*relu.Network).Layers[0].Weights[0] += 1e-12 // no float32: the file holds float64s
		}
		f, err := export.Lookup("vnnlib")
		if err != nil {
			t.Fatal(err)
		}
		lowered, err := export.Lower(q, f, export.Options{})
		if err != nil {
			eachPair(q, func(_, _ []float64, l1, l2 *big.Rat) {
				if violates(q, l1, l2) {
					t.Fatalf("query %d has a violation and was not written: %v", i, err)
				}
			})
			continue
		}
		files++
		text := write(t, "vnnlib", lowered[0].Problem, "a comment")
		property := parseProperty(t, text)
		var onnx bytes.Buffer
		if err := export.WriteNetwork(&onnx, lowered[0].Problem.Query); err != nil {
			t.Fatal(err)
		}
		net := readONNX(t, onnx.Bytes())
		eachPair(q, func(one, two []float64, l1, l2 *big.Rat) {
			x := productPoint(q.Space, one, two)
			y := net.run(x)
			if y[0].Cmp(l1) != 0 || y[1].Cmp(l2) != 0 {
				t.Fatalf("query %d at %v and %v: outputs %v and %v, logits %v and %v", i, one, two, y[0], y[1], l1, l2)
			}
			values := map[string]*big.Rat{}
			for k, v := range x {
				values["X_"+strconv.Itoa(k)] = v
			}
			for k, v := range y {
				values["Y_"+strconv.Itoa(k)] = v
			}
			holds, err := property.Holds(values)
			if err != nil {
				t.Fatal(err)
			}
			switch violation := violates(q, l1, l2); {
			case violation && !holds:
				t.Errorf("query %d (%s): the property misses the violation at %v and %v", i, q.Notion, one, two)
			case violation:
				violations++
			case holds && !onBorder(q, l1, l2):
				t.Errorf("query %d (%s): the property holds at %v and %v, logits %v and %v", i, q.Notion, one, two, l1, l2)
			}
		})
	}
	if files < 30 || violations < 100 {
		t.Errorf("%d files with %d violations: the sample tests little", files, violations)
	}
}

// The property excludes equal copies, whose tie would be a violation. It holds at a pair if and
// only if the pair's own property does: with --each every property is one box.
func TestPropertyIsOfUnequalCopies(t *testing.T) {
	f, err := export.Lookup("vnnlib")
	if err != nil {
		t.Fatal(err)
	}
	parse := func(l *export.Lowered) (*script.Script, string) {
		var b strings.Builder
		if err := l.Write(&b, f); err != nil {
			t.Fatal(err)
		}
		return parseProperty(t, b.String()), b.String()
	}
	files, pairs := 0, 0
	for i := range tier.Count(12, 40) {
		q := random(rand.New(rand.NewPCG(uint64(i), 11)), fairness.Notions[i%4])
		whole, err := export.Lower(q, f, export.Options{})
		if err != nil {
			continue
		}
		all, _ := parse(&whole[0])
		each, err := export.Lower(q, f, export.Options{Each: true})
		if err != nil {
			t.Fatal(err)
		}
		n := q.RegionOrWhole().Count()
		if len(each) != n*(n-1) {
			t.Fatalf("query %d: %d files for %d combinations", i, len(each), n)
		}
		var own []*script.Script
		for k := range each {
			s, text := parse(&each[k])
			if own = append(own, s); strings.Contains(text, "(or") || !strings.Contains(each[k].Meaning[0], "copy 1 has ") {
				t.Fatalf("%s", text)
			}
		}
		files++
		holds := func(s *script.Script, values map[string]*big.Rat) bool {
			ok, err := s.Holds(values)
			if err != nil {
				t.Fatal(err)
			}
			return ok
		}
		tie := func(one, two []float64) map[string]*big.Rat { // outputs that satisfy every notion's property
			values := map[string]*big.Rat{}
			for k, v := range productPoint(q.Space, one, two) {
				values["X_"+strconv.Itoa(k)] = v
			}
			p, err := export.Outputs(q)
			if err != nil {
				t.Fatal(err)
			}
			for k, v := range p {
				values["Y_"+strconv.Itoa(k)] = v
			}
			return values
		}
		eachPair(q, func(one, two []float64, _, _ *big.Rat) {
			if slices.Equal(one, two) {
				return
			}
			pairs++
			in := 0
			for _, s := range own {
				if holds(s, tie(one, two)) {
					in++
				}
			}
			if !holds(all, tie(one, two)) || in != 1 {
				t.Errorf("query %d: %v and %v are in %d properties of their own", i, one, two, in)
			}
			if holds(all, tie(one, one)) {
				t.Errorf("query %d: equal copies %v", i, one)
			}
		})
	}
	if files < tier.Count(6, 20) || pairs < tier.Count(30, 100) {
		t.Errorf("%d files, %d pairs: the sample tests little", files, pairs)
	}
}

// onBorder tells the pairs that the property may take for violations: those on
// the border, and for the score those near it.
func onBorder(q *problem.Query, l1, l2 *big.Rat) bool {
	switch q.Notion {
	case fairness.Score:
		return true
	case fairness.Logit:
		return new(big.Rat).Sub(l1, l2).Cmp(q.Epsilon) == 0
	}
	return l1.Sign() >= 0 && l2.Sign() <= 0 && (l1.Sign() == 0 || l2.Sign() == 0)
}

// productPoint is the documented order of the inputs: shared features, then the
// protected ones of each copy.
func productPoint(s *space.Space, one, two []float64) []*big.Rat {
	var out []*big.Rat
	put := func(v float64) { out = append(out, new(big.Rat).SetFloat64(v)) }
	for _, i := range s.Free() {
		put(one[i])
	}
	for _, point := range [][]float64{one, two} {
		for _, i := range s.Protected() {
			put(point[i])
		}
	}
	return out
}

// parseProperty reads a property as SMT-LIB, which differs in negative numbers.
func parseProperty(t *testing.T, text string) *script.Script {
	t.Helper()
	s, err := script.Parse(regexp.MustCompile(`-(\d+(?:\.\d+)?)\)`).ReplaceAllString(text, "(- $1))"))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return s
}

// onnx is a chain of layers as an ONNX file holds it.
type onnx struct {
	element uint64
	nodes   []onnxNode
	tensors map[string][]*big.Rat
	dims    map[string][]uint64
	input   []uint64 // its shape
	output  []uint64
}

type onnxNode struct {
	op, output string
	inputs     []string
	transB     uint64
}

// fields visits the fields of a protobuf message.
func fields(t *testing.T, b []byte, visit func(n protowire.Number, v uint64, data []byte)) {
	t.Helper()
	for len(b) > 0 {
		n, kind, size := protowire.ConsumeTag(b)
		if size < 0 {
			t.Fatal(protowire.ParseError(size))
		}
		b = b[size:]
		switch kind {
		case protowire.VarintType:
			v, size := protowire.ConsumeVarint(b)
			visit(n, v, nil)
			b = b[size:]
		case protowire.BytesType:
			data, size := protowire.ConsumeBytes(b)
			if size < 0 {
				t.Fatal(protowire.ParseError(size))
			}
			visit(n, 0, data)
			b = b[size:]
		default:
			t.Fatalf("field %d of wire type %d", n, kind)
		}
	}
}

// readONNX reads a model with the field numbers of onnx.proto3.
func readONNX(t *testing.T, b []byte) *onnx {
	t.Helper()
	m := &onnx{tensors: map[string][]*big.Rat{}, dims: map[string][]uint64{}}
	shape := func(data []byte) (out []uint64) {
		fields(t, data, func(n protowire.Number, _ uint64, data []byte) {
			if n != 2 {
				return
			}
			fields(t, data, func(_ protowire.Number, _ uint64, data []byte) { // TypeProto
				fields(t, data, func(n protowire.Number, v uint64, data []byte) { // Tensor
					if n == 1 {
						m.element = v
						return
					}
					fields(t, data, func(_ protowire.Number, _ uint64, data []byte) { // shape
						fields(t, data, func(_ protowire.Number, v uint64, _ []byte) { out = append(out, v) })
					})
				})
			})
		})
		return out
	}
	fields(t, b, func(n protowire.Number, _ uint64, graph []byte) {
		if n != 7 {
			return
		}
		fields(t, graph, func(n protowire.Number, _ uint64, data []byte) {
			switch n {
			case 1:
				m.nodes = append(m.nodes, readNode(t, data))
			case 5:
				m.tensor(t, data)
			case 11:
				m.input = shape(data)
			case 12:
				m.output = shape(data)
			}
		})
	})
	return m
}

func readNode(t *testing.T, b []byte) onnxNode {
	t.Helper()
	var node onnxNode
	fields(t, b, func(n protowire.Number, _ uint64, data []byte) {
		switch n {
		case 1:
			node.inputs = append(node.inputs, string(data))
		case 2:
			node.output = string(data)
		case 4:
			node.op = string(data)
		case 5:
			fields(t, data, func(n protowire.Number, v uint64, _ []byte) {
				if n == 3 {
					node.transB = v
				}
			})
		}
	})
	return node
}

func (m *onnx) tensor(t *testing.T, b []byte) {
	t.Helper()
	var name string
	var raw []byte
	var dims []uint64
	var element uint64
	fields(t, b, func(n protowire.Number, v uint64, data []byte) {
		switch n {
		case 1:
			dims = append(dims, v)
		case 2:
			element = v
		case 8:
			name = string(data)
		case 9:
			raw = data
		}
	})
	var values []*big.Rat
	for len(raw) > 0 {
		v := 0.0
		if element == 11 {
			v, raw = math.Float64frombits(binary.LittleEndian.Uint64(raw)), raw[8:]
		} else {
			v, raw = float64(math.Float32frombits(binary.LittleEndian.Uint32(raw))), raw[4:]
		}
		values = append(values, new(big.Rat).SetFloat64(v))
	}
	m.tensors[name], m.dims[name] = values, dims
}

// run evaluates the chain exactly.
func (m *onnx) run(x []*big.Rat) []*big.Rat {
	at := map[string][]*big.Rat{"X": x}
	for _, node := range m.nodes {
		in := at[node.inputs[0]]
		var out []*big.Rat
		if node.op == "Relu" {
			for _, v := range in {
				if v.Sign() < 0 {
					v = new(big.Rat)
				}
				out = append(out, v)
			}
		} else {
			w, b := m.tensors[node.inputs[1]], m.tensors[node.inputs[2]]
			for j := range b {
				sum := new(big.Rat).Set(b[j])
				for i := range in {
					sum.Add(sum, new(big.Rat).Mul(in[i], w[j*len(in)+i]))
				}
				out = append(out, sum)
			}
		}
		at[node.output] = out
	}
	return at["Y"]
}

func TestONNXShapes(t *testing.T) {
	q := tiny(fairness.Logit)
	var b bytes.Buffer
	if err := export.WriteNetwork(&b, q); err != nil {
		t.Fatal(err)
	}
	m := readONNX(t, b.Bytes())
	if len(m.input) != 2 || m.input[0] != 1 || m.input[1] != 3 || m.output[1] != 3 || m.element != 11 {
		t.Errorf("input %v, output %v, element type %d; want [1 3], [1 3], and float64 for a weight of 1e-05", m.input, m.output, m.element)
	}
	for _, node := range m.nodes {
		if node.op == "Gemm" && (node.transB != 1 || len(m.dims[node.inputs[1]]) != 2) {
			t.Errorf("node %+v with weights of shape %v", node, m.dims[node.inputs[1]])
		}
	}
	q.Model.(*relu.Network).Layers[0].Bias[1] = 0.5
	b.Reset()
	if err := export.WriteNetwork(&b, q); err != nil {
		t.Fatal(err)
	}
	if m := readONNX(t, b.Bytes()); m.element != 1 {
		t.Errorf("element type %d, want float32 where every weight is one", m.element)
	}
}

// TestManyProtectedValues keeps the alternatives within a limit, and says what
// it leaves open.
func TestManyProtectedValues(t *testing.T) {
	q := tiny(fairness.Decision)
	f := &q.Space.Features[1]
	f.Protected = nil
	for v := range 200 {
		f.Protected = append(f.Protected, float64(v))
	}
	f.Hi = 199
	text := write(t, "vnnlib", &problem.Problem{Query: q})
	if n := strings.Count(text, "(or "); n != 1 {
		t.Errorf("%d lists of alternatives; want one, as 200 × 200 are too many", n)
	}
	if !strings.Contains(text, "; X_2 may take every real value between its ends") {
		t.Errorf("the file does not say what it leaves open:\n%s", text)
	}
}
