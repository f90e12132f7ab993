package quantify

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"path/filepath"
	"strconv"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/space"
)

// MapFormats are the extensions of files that a map can be written to.
var MapFormats = []string{".csv", ".jsonl"}

// MapWriter writes pieces to a file, a line each: docs/quantify.md describes
// both formats. Not safe for concurrent use.
type MapWriter struct {
	space *space.Space
	free  []int
	out   *bufio.Writer
	csv   *csv.Writer // nil: lines of JSON
	line  []string
}

// NewMapWriter begins a map in the format of the path's extension, one of
// MapFormats.
func NewMapWriter(w io.Writer, path string, s *space.Space) (*MapWriter, error) {
	m := &MapWriter{space: s, free: s.Free(), out: bufio.NewWriterSize(w, 1<<16)}
	switch ext := filepath.Ext(path); ext {
	case ".csv":
		m.csv = csv.NewWriter(m.out)
		header := []string{"claim", "fair", "unfair"}
		for _, i := range m.free {
			header = append(header, s.Features[i].Name+".lo", s.Features[i].Name+".hi")
		}
		return m, m.csv.Write(header)
	case ".jsonl":
		return m, nil
	default:
		return nil, fmt.Errorf("%s: a map is written to .csv or .jsonl, by the file's extension", path)
	}
}

// Write adds pieces.
func (m *MapWriter) Write(list []sdk.Piece) error {
	for i := range list {
		if err := m.write(&list[i]); err != nil {
			return err
		}
	}
	return nil
}

func (m *MapWriter) write(p *sdk.Piece) error {
	if m.csv != nil {
		m.line = append(m.line[:0], p.Claim.String(), count(p.Fair), count(p.Unfair))
		for _, i := range m.free {
			m.line = append(m.line, number(p.Box[i].Lo), number(p.Box[i].Hi))
		}
		return m.csv.Write(m.line)
	}
	line := mapLine{Claim: p.Claim.String(), Fair: json.Number(count(p.Fair)), Unfair: json.Number(count(p.Unfair)), Box: make(map[string][2]float64, len(m.free))}
	for _, i := range m.free {
		line.Box[m.space.Features[i].Name] = [2]float64{p.Box[i].Lo, p.Box[i].Hi}
	}
	text, err := json.Marshal(line)
	if err != nil {
		return err
	}
	_, err = m.out.Write(append(text, '\n'))
	return err
}

// mapLine is a piece as JSON.
type mapLine struct {
	Claim string `json:"claim"`
	// Fair and Unfair are absent where features are real.
	Fair   json.Number           `json:"fair,omitempty"`
	Unfair json.Number           `json:"unfair,omitempty"`
	Box    map[string][2]float64 `json:"box"`
}

// Close writes what is buffered.
func (m *MapWriter) Close() error {
	if m.csv != nil {
		if m.csv.Flush(); m.csv.Error() != nil {
			return m.csv.Error()
		}
	}
	return m.out.Flush()
}

// count is empty for a number that is not known.
func count(n *big.Int) string {
	if n == nil {
		return ""
	}
	return n.String()
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
