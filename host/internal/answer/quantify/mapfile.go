package quantify

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"path/filepath"
	"strconv"

	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/space"
)

// MapFormats are the extensions of files that a map can be written to.
var MapFormats = []string{".csv", ".jsonl"}

// MapWriter writes pieces to a file, one per line: docs/reference/files.md describes
// both formats. Not safe for concurrent use.
//
// It formats lines itself, without the encoders of the standard library: pieces
// come by the million, and the plugin waits.
type MapWriter struct {
	free  []int
	out   *bufio.Writer
	names [][]byte // of the features in JSON, with their quotes; nil: lines of CSV
	line  []byte
}

// NewMapWriter begins a map in the format of the path's extension, one of
// MapFormats.
func NewMapWriter(w io.Writer, path string, s *space.Space) (*MapWriter, error) {
	m := &MapWriter{free: s.Free(), out: bufio.NewWriterSize(w, 1<<16)}
	switch ext := filepath.Ext(path); ext {
	case ".csv":
		header := []string{"claim", "fair", "unfair"}
		for _, i := range m.free {
			header = append(header, s.Features[i].Name+".lo", s.Features[i].Name+".hi")
		}
		first := view.NewCSV(m.out)
		_ = first.Write(header) // m.out keeps an error, and Close returns it
		first.Flush()
		return m, nil
	case ".jsonl":
		m.names = [][]byte{}
		for _, i := range m.free {
			name, err := json.Marshal(s.Features[i].Name)
			if err != nil {
				return nil, err
			}
			m.names = append(m.names, name)
		}
		return m, nil
	default:
		return nil, fmt.Errorf("%s: want a map file that ends in .csv or .jsonl", path)
	}
}

// Write appends a line for each piece. Lines are buffered until Close.
func (m *MapWriter) Write(list []sdk.Piece) error {
	for i := range list {
		if m.line = m.line[:0]; m.names == nil {
			m.csv(&list[i])
		} else {
			m.json(&list[i])
		}
		if _, err := m.out.Write(append(m.line, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// csv appends a piece to the line. Names of claims and numbers need no quotes.
func (m *MapWriter) csv(p *sdk.Piece) {
	m.text(p.Claim.String(), ",")
	m.count(p.Fair)
	m.text(",")
	m.count(p.Unfair)
	for _, i := range m.free {
		m.text(",")
		m.number(p.Box[i].Lo)
		m.text(",")
		m.number(p.Box[i].Hi)
	}
}

// json appends a piece to the line, without the counts that are not known.
func (m *MapWriter) json(p *sdk.Piece) {
	m.text(`{"claim":"`, p.Claim.String(), `"`)
	if p.Fair != nil {
		m.text(`,"fair":`)
		m.count(p.Fair)
	}
	if p.Unfair != nil {
		m.text(`,"unfair":`)
		m.count(p.Unfair)
	}
	m.text(`,"box":{`)
	for k, i := range m.free {
		if k > 0 {
			m.text(",")
		}
		m.line = append(m.line, m.names[k]...)
		m.text(":[")
		m.number(p.Box[i].Lo)
		m.text(",")
		m.number(p.Box[i].Hi)
		m.text("]")
	}
	m.text("}}")
}

func (m *MapWriter) text(parts ...string) {
	for _, t := range parts {
		m.line = append(m.line, t...)
	}
}

// count appends n, or nothing if n is not known.
func (m *MapWriter) count(n *big.Int) {
	if n != nil {
		m.line = n.Append(m.line, 10)
	}
}

// number appends the shortest decimal of a finite number.
func (m *MapWriter) number(v float64) {
	if n := int64(v); float64(n) == v && -1e15 < v && v < 1e15 {
		m.line = strconv.AppendInt(m.line, n, 10)
		return
	}
	m.line = strconv.AppendFloat(m.line, v, 'g', -1, 64)
}

// Close writes what is buffered.
func (m *MapWriter) Close() error { return m.out.Flush() }
