package certificate

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/space"
)

const (
	formatName = "hyfair-certificate"
	// Version is the newest version of the format. All are read.
	Version = 4
	// StatementLines is the number of lines before the leaves. Each leaf has one line.
	StatementLines = 4
	// maxLine bounds a line, in bytes without its end.
	maxLine = 64 << 20
)

// The structs below are the lines as encoding/json writes them: float64s as the shortest
// decimals that round to them, so no bit changes.

type headerLine struct {
	Format   string `json:"format"`
	Version  int    `json:"version"`
	Producer string `json:"producer,omitempty"`
	Study    string `json:"study,omitempty"`
	Notion   string `json:"notion"`
	Epsilon  string `json:"epsilon,omitempty"`
	// Decision is absent for a score above ½, and if the claim is about none.
	Decision *decisionJSON `json:"decision,omitempty"`
	Claim    claimJSON     `json:"claim"`
	Network  string        `json:"network_sha256"`
	Space    string        `json:"space_sha256"`
}

// decisionJSON is a threshold, or bands in ascending order.
type decisionJSON struct {
	Threshold string     `json:"threshold,omitempty"`
	At        bool       `json:"at,omitempty"`
	Bands     []bandJSON `json:"bands,omitempty"`
}

type bandJSON struct {
	Name  string `json:"name"`
	Least string `json:"least"`
}

func (s *Statement) decision() *decisionJSON {
	switch {
	case !s.names():
		return nil
	case s.Bands == nil:
		return &decisionJSON{Threshold: fairness.FormatRat(s.Rule.Least()), At: s.Rule.At}
	}
	out := &decisionJSON{}
	for _, b := range s.Bands {
		out.Bands = append(out.Bands, bandJSON{b.Name, fairness.FormatRat(b.Least)})
	}
	return out
}

type claimJSON struct {
	Kind  string `json:"kind"`
	Bound string `json:"bound,omitempty"`
	K     int    `json:"k,omitempty"`
}

type networkLine struct {
	Network *relu.Network `json:"network"`
}

type spaceLine struct {
	Space spaceJSON `json:"space"`
}

type spaceJSON struct {
	Inputs    int               `json:"inputs"`
	Features  []featureJSON     `json:"features"`
	Forbidden [][]conditionJSON `json:"forbidden"`
}

type featureJSON struct {
	Name       string      `json:"name"`
	Kind       string      `json:"kind"`
	Lo         float64     `json:"lo"`
	Hi         float64     `json:"hi"`
	Missing    bool        `json:"missing,omitempty"`
	Categories []string    `json:"categories,omitempty"`
	Protected  []float64   `json:"protected,omitempty"`
	Inputs     []inputJSON `json:"inputs"`
}

type inputJSON struct {
	Index  int       `json:"index"`
	Scale  *float64  `json:"scale,omitempty"`
	Offset *float64  `json:"offset,omitempty"`
	Table  []float64 `json:"table,omitempty"`
}

type conditionJSON struct {
	Feature string   `json:"feature"`
	Lo      *float64 `json:"lo,omitempty"` // absent: no lower end
	Hi      *float64 `json:"hi,omitempty"`
	Set     *[]int   `json:"set,omitempty"`
}

type regionLine struct {
	Region  regionJSON        `json:"region"`
	Require [][]conditionJSON `json:"require"`
	Forbid  [][]conditionJSON `json:"forbid"`
}

type regionJSON struct {
	Box    []float64   `json:"box"`
	Values [][]float64 `json:"values"`
}

type endLine struct {
	End endJSON `json:"end"`
}

type endJSON struct {
	Leaves int64 `json:"leaves"`
}

// line returns v as a line of JSON, with its end.
func line(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	if b.Len() > maxLine {
		return nil, fmt.Errorf("the line has %d bytes; at most %d are allowed", b.Len(), maxLine)
	}
	return b.Bytes(), nil
}

// SpaceSHA256 returns the fingerprint of a space, including its constraints: the SHA-256
// of its line, in hexadecimal. A network's is computed differently: see
// relu.Network.Fingerprint.
func SpaceSHA256(s *space.Space) (string, error) {
	text, err := line(spaceLine{toSpaceJSON(s)})
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// format returns the statement as the lines before the leaves.
func (s *Statement) format() ([]byte, error) {
	header := headerLine{
		Format: formatName, Version: s.version(), Producer: s.Producer, Study: s.Study,
		Notion: s.Notion.String(), Decision: s.decision(), Claim: claimJSON{Kind: s.Claim.Kind.String()},
	}
	if s.Epsilon != nil {
		header.Epsilon = fairness.FormatRat(s.Epsilon)
	}
	switch s.Claim.Kind {
	case Gap:
		header.Claim.Bound = fairness.FormatRat(s.Claim.Bound)
	case MaxK:
		header.Claim.K = s.Claim.K
	}
	var err error
	if header.Network, err = s.modelSHA256(); err != nil {
		return nil, err
	}
	if header.Space, err = SpaceSHA256(s.Space); err != nil {
		return nil, err
	}
	region := s.RegionOrWhole()
	of := regionLine{
		Region:  regionJSON{Box: s.flatBox(region.Box), Values: [][]float64{}},
		Require: s.toPredicates(s.Require), Forbid: s.toPredicates(s.Forbid),
	}
	for _, i := range s.Space.Protected() {
		of.Region.Values = append(of.Region.Values, region.Values[i])
	}
	var out []byte
	for _, v := range []any{header, s.modelLine(), spaceLine{toSpaceJSON(s.Space)}, of} {
		text, err := line(v)
		if err != nil {
			return nil, err
		}
		out = append(out, text...)
	}
	return out, nil
}

// flatBox returns a box as a list: lo and hi of each feature that is not protected.
func (s *Statement) flatBox(b space.Box) []float64 {
	out := []float64{}
	for i := range s.Space.Features {
		if !s.Space.Features[i].IsProtected() {
			out = append(out, b[i].Lo, b[i].Hi)
		}
	}
	return out
}

func toSpaceJSON(s *space.Space) spaceJSON {
	out := spaceJSON{Inputs: s.Inputs, Forbidden: toPredicates(s, s.Forbidden)}
	for i := range s.Features {
		f := &s.Features[i]
		of := featureJSON{
			Name: f.Name, Kind: f.Kind.String(), Lo: f.Lo, Hi: f.Hi, Missing: f.Missing,
			Categories: f.Categories, Protected: f.Protected, Inputs: []inputJSON{},
		}
		for k := range f.Inputs {
			in := &f.Inputs[k]
			to := inputJSON{Index: in.Index, Table: in.Table}
			if in.Table == nil {
				to.Scale, to.Offset = &in.Scale, &in.Offset
			}
			of.Inputs = append(of.Inputs, to)
		}
		out.Features = append(out.Features, of)
	}
	return out
}

func (s *Statement) toPredicates(list []space.Predicate) [][]conditionJSON {
	return toPredicates(s.Space, list)
}

func toPredicates(s *space.Space, list []space.Predicate) [][]conditionJSON {
	out := [][]conditionJSON{}
	for _, p := range list {
		of := []conditionJSON{}
		for i := range p {
			c := conditionJSON{Feature: s.Features[p[i].Feature].Name}
			if p[i].Set != nil {
				c.Set = &p[i].Set
			} else {
				c.Lo, c.Hi = finite(p[i].Interval.Lo), finite(p[i].Interval.Hi)
			}
			of = append(of, c)
		}
		out = append(out, of)
	}
	return out
}

// finite returns nil for an infinite end, which does not bind. (Validate refuses a lower
// end of +∞ and an upper one of −∞.)
func finite(v float64) *float64 {
	if math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// appendLeaf appends the leaf as a line. It does not use encoding/json, which is slower;
// there are many leaves.
func (s *Statement) appendLeaf(b []byte, l *Leaf) []byte {
	b = append(b, `{"box":`...)
	b = appendFloats(b, s.flatBox(l.Box))
	if l.Enumerated {
		b = append(b, `,"enumerated":true`...)
	}
	if l.Copies != nil {
		b = append(b, `,"copies":[`...)
		for i := range l.Copies {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendCopy(b, &l.Copies[i])
		}
		b = append(b, ']')
	}
	if len(l.Cases) > 0 {
		b = append(b, `,"cases":[`...)
		for i := range l.Cases {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendCases(b, &l.Cases[i])
		}
		b = append(b, ']')
	}
	return append(b, "}\n"...)
}

func appendCopy(b []byte, c *sdk.CopyProof) []byte {
	b = append(b, `{"protected":`...)
	b = appendFloats(b, c.Protected)
	if !math.IsInf(c.Logit.Lo, 0) {
		b = append(b, `,"logit":`...)
		b = appendFloats(b, []float64{c.Logit.Lo, c.Logit.Hi})
	}
	if len(c.Slopes) > 0 {
		b = append(b, `,"slopes":[`...)
		for i, m := range c.Slopes {
			b = appendNeuron(b, i, m.Layer, m.Neuron, m.Value)
		}
		b = append(b, ']')
	}
	if len(c.Joint) > 0 {
		b = append(b, `,"joint":[`...)
		for i, m := range c.Joint {
			b = appendNeuron(b, i, m.Layer, m.Neuron, m.Own, m.Other)
		}
		b = append(b, ']')
	}
	if c.Up != 0 || c.Down != 0 {
		b = append(b, `,"tangent":`...)
		b = appendFloats(b, []float64{c.Up, c.Down})
	}
	return append(b, '}')
}

// appendNeuron appends the i-th entry of a list of neurons.
func appendNeuron(b []byte, i, layer, neuron int, values ...float64) []byte {
	if i > 0 {
		b = append(b, ',')
	}
	b = strconv.AppendInt(b, int64(layer), 10)
	b = append(b, ',')
	b = strconv.AppendInt(b, int64(neuron), 10)
	for _, v := range values {
		b = append(b, ',')
		b = strconv.AppendFloat(b, v, 'g', -1, 64)
	}
	return b
}

func appendFloats(b []byte, values []float64) []byte {
	b = append(b, '[')
	for i, v := range values {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendFloat(b, v, 'g', -1, 64)
	}
	return append(b, ']')
}
