package audit

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/hyfair/hyfair/host/internal/view"

	"github.com/hyfair/hyfair/sdk/space"
)

// Place returns the file and the line of a row.
type Place func(row int) (path string, line int)

// WriteCSV writes a line for each person, the worst-treated first, and then one
// for each row outside the space. docs/reference/files.md describes the columns.
func (r *Outcome) WriteCSV(w io.Writer, s *space.Space, rows [][]float64, where Place) error {
	out := view.NewCSV(w)
	names := r.header(s)
	out.Write(names) // an error stays with the writer until the end
	protected := s.Protected()
	for i := range r.People {
		p := &r.People[i]
		line := append(placed(p.Index, where), "",
			strconv.Itoa(p.K), strconv.Itoa(p.N), number(p.Gap), yes(p.Unfair), number(p.Shannon), number(p.MinEntropy))
		if r.Bands != nil {
			line = append(line, number(p.Score), r.bandsAt(p.Class), r.bandsAt(p.Enters...), yes(p.Flips))
		} else if r.Classes > 0 {
			line = append(line, strconv.Itoa(p.Class), strings.Trim(fmt.Sprint(p.Enters), "[]"), yes(p.Flips))
		} else {
			line = append(line, number(p.Score), yes(p.Positive), yes(p.Flips))
		}
		for _, c := range []*Copy{&p.High, &p.Low} {
			line = append(line, number(c.Score))
			for n, f := range protected {
				line = append(line, s.Features[f].Label(c.Z[n]))
			}
		}
		for n, f := range protected {
			e := &p.Effects[n]
			label := s.Features[f].Label
			line = append(line, strconv.Itoa(e.K), strconv.Itoa(e.N), number(e.Gap), yes(e.Unfair), yes(e.Flips),
				label(e.Best), number(e.BestScore), label(e.Worst), number(e.WorstScore), number(e.Advantage))
		}
		out.Write(append(line, features(s, rows[p.Index])...))
	}
	blank := make([]string, len(names)-4-len(s.Features))
	for _, skipped := range r.Skipped {
		why := "forbidden by a constraint"
		if skipped.Feature >= 0 {
			why = "outside the domain of " + s.Features[skipped.Feature].Name
		}
		line := append(placed(skipped.Index, where), why)
		out.Write(append(append(line, blank...), features(s, rows[skipped.Index])...))
	}
	out.Flush()
	return out.Error()
}

func (r *Outcome) header(s *space.Space) []string {
	names := []string{"index", "file", "line", "skipped", "k", "n", "gap", "unfair", "shannon", "min_entropy", "score", "positive", "flips"}
	if r.Bands != nil {
		names = slices.Replace(names, 11, 12, "band", "enters")
	} else if r.Classes > 0 {
		names[10], names[11] = "class", "enters"
	}
	for _, end := range []string{"high", "low"} {
		names = append(names, end+".score")
		for _, f := range s.Protected() {
			names = append(names, end+"."+s.Features[f].Name)
		}
	}
	for _, f := range s.Protected() {
		for _, what := range []string{"k", "n", "gap", "unfair", "flips", "best", "best.score", "worst", "worst.score", "advantage"} {
			names = append(names, s.Features[f].Name+"."+what)
		}
	}
	return append(names, s.Names()...)
}

func placed(row int, where Place) []string {
	path, line := where(row)
	return []string{strconv.Itoa(row), filepath.Base(path), strconv.Itoa(line)}
}

func features(s *space.Space, row []float64) []string {
	texts := make([]string, len(row))
	for i, v := range row {
		texts[i] = s.Features[i].Label(v)
	}
	return texts
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

func yes(v bool) string {
	if v {
		return "yes"
	}
	return "no"
}

// bandsAt names the bands at places.
func (r *Outcome) bandsAt(places ...int) string {
	var out []string
	for _, at := range places {
		out = append(out, r.Bands[r.Bands.Place(at, r.Rule.Low)].Name)
	}
	return strings.Join(out, " ")
}
