package audit

import (
	"bytes"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/host/internal/question/people"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/space"
)

// bandsOf draws bands of which some begin at or near the score of a row.
func bandsOf(r *rand.Rand, m model.Model, s *space.Space, rows [][]float64) fairness.Bands {
	var least []float64
	for range 2 + r.IntN(4) {
		v := r.Float64()
		if r.IntN(4) > 0 {
			v = m.Link().Score(m.Logit(s.NetworkInputs(nil, rows[r.IntN(len(rows))])))
		}
		if v > 1e-30 && v < 1 {
			least = append(least, v)
		}
	}
	slices.Sort(least)
	if least == nil {
		least = []float64{0.5}
	}
	out := fairness.Bands{{Name: "0", Least: new(big.Rat)}}
	for _, v := range slices.Compact(least) {
		out = append(out, fairness.Band{Name: fmt.Sprint(len(out)), Least: new(big.Rat).SetFloat64(v)})
	}
	return out
}

// encoded reads rows of feature values back from a file.
func encoded(t *testing.T, s *space.Space, rows [][]float64) *people.Data {
	var text strings.Builder
	fmt.Fprintln(&text, strings.Join(s.Names(), ","))
	for _, row := range rows {
		fmt.Fprintln(&text, strings.ReplaceAll(strings.Trim(fmt.Sprint(row), "[]"), " ", ","))
	}
	path := filepath.Join(t.TempDir(), "rows.csv")
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	data, err := (&study.Study{Space: s}).Rows(path, true)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestBandsOfDecisions holds the audit of a decision with bands, and the change to another model, against counts by exact scores: of
// networks, trees and shares.
func TestBandsOfDecisions(t *testing.T) {
	moved, worse, changed := 0, 0, 0
	for seed := range tier.Count(18, 300) {
		r := rand.New(rand.NewPCG(uint64(seed), 61))
		q := known.Query(r, fairness.Score)
		m := []model.Model{q.Model, known.Trees(r, q.Space), known.Shares(r, known.Trees(r, q.Space))}[seed%3]
		var rows [][]float64
		for x := range q.Space.Individuals(q.Region.Box) {
			rows = append(rows, q.Space.Counterfactuals(q.Region, x)...)
			if len(rows) > 400 {
				break
			}
		}
		if len(rows) == 0 {
			continue
		}
		bands, low := bandsOf(r, m, q.Space, rows), r.IntN(2) == 0
		best := r.IntN(len(bands) - 1)
		config := Config{Model: m, Space: q.Space, Region: q.Region, Epsilon: big.NewRat(1, 20), Rule: fairness.Rule{Low: low}, Bands: bands, Best: best}
		place := func(m model.Model) func([]float64) int {
			exact, bins := m.Exact(), m.Link().Binning(nil, bands)
			known := map[string]int{}
			return func(point []float64) int {
				key := fmt.Sprint(point)
				if _, ok := known[key]; !ok {
					known[key] = bands.Place(bins.Of(exact.Logit(q.Space.ExactInputs(point))), low)
				}
				return known[key]
			}
		}
		of := place(m)
		got, err := Run(t.Context(), config, rows)
		if err != nil {
			t.Fatal(err)
		}
		// others are the bands of copies in which only the given protected features differ, but the own.
		others := func(row []float64, free []int) (out []int) {
			for _, copy := range q.Space.Counterfactuals(q.Region, row) {
				same := true
				for _, f := range q.Space.Protected() {
					same = same && (slices.Contains(free, f) || copy[f] == row[f])
				}
				if b := of(copy); same && b != of(row) && !slices.Contains(out, b) {
					out = append(out, b)
				}
			}
			slices.Sort(out)
			return out
		}
		n, protected := len(bands), q.Space.Protected()
		want := make([]Class, n)
		for i := range want {
			want[i] = Class{Class: i, Name: bands[bands.Place(i, low)].Name, Enter: make([]int, n)}
		}
		gain, lose := 0, 0
		for i := range got.People {
			p := &got.People[i]
			row := rows[p.Index]
			own, enters := of(row), others(row, protected)
			if p.Class != own || !slices.Equal(p.Enters, enters) || p.K != 1+len(enters) || p.Flips != (len(enters) > 0) || p.Unfair != p.Flips || p.Positive != (own <= best != low) {
				t.Fatalf("seed %d: %v is %+v; it is in band %d, its copies in %v", seed, row, p, own, enters)
			}
			for k, f := range protected {
				if e := &p.Effects[k]; !slices.Equal(e.Enters, others(row, []int{f})) || e.Flips != (len(e.Enters) > 0) || e.K != 1+len(e.Enters) {
					t.Fatalf("seed %d: %v by feature %d: %+v, want %v", seed, row, f, e, others(row, []int{f}))
				}
			}
			want[own].People++
			for _, to := range enters {
				want[own].Enter[to]++
			}
			if len(enters) > 0 {
				want[own].Leave++
				gain, lose = gain+one(enters[0] < own), lose+one(enters[len(enters)-1] > own)
			}
		}
		for i := range want {
			want[i].LeaveShare = part(float64(want[i].Leave), float64(want[i].People))
		}
		if have := got.classes(q.Space).Classes; !reflect.DeepEqual(have, want) {
			t.Fatalf("seed %d: %+v, want %+v", seed, have, want)
		}
		sum := got.Summarise(q.Space, q.Region, rows)
		if sum.Gain != gain || sum.Lose != lose || sum.Positive != 0 || sum.ToYes != 0 {
			t.Fatalf("seed %d: %+v, want %d who gain and %d who lose", seed, sum.Decisions, gain, lose)
		}
		for k, a := range sum.Attributes {
			enter := make([]int, n)
			for _, g := range a.Groups {
				for _, c := range g.Classes {
					for to, people := range c.Enter {
						enter[to] += people
					}
				}
			}
			for _, c := range got.classes(q.Space).Attributes[k].Classes {
				for to, people := range c.Enter {
					enter[to] -= people
				}
			}
			if slices.ContainsFunc(enter, func(n int) bool { return n != 0 }) {
				t.Fatalf("seed %d, %s: the groups and the attribute differ by %v", seed, a.Name, enter)
			}
		}
		moved, worse = moved+gain, worse+lose

		// The rates of the favourable bands and of each one are shares of rows.
		by := RateBy{Space: q.Space, Region: q.Region, Rows: rows, MinShare: new(big.Rat), Decider: inBands{individual.New(m, q.Space, config.Rule).Bander(bands, low), 0, best, !low}}
		classes := got.classes(q.Space)
		got.rateClasses(classes, &config, by)
		hits := func(rates *Rates) (out int) {
			for _, g := range rates.Attributes[0].Groups {
				out += g.Selection.Hits
			}
			return out
		}
		upTo := 0
		for i := range want {
			if have := hits(classes.Classes[i].Rates); have != want[i].People {
				t.Fatalf("seed %d: the rates of band %s are of %d people, not %d", seed, want[i].Name, have, want[i].People)
			}
			if i <= best {
				upTo += want[i].People
			}
		}
		if have := hits(got.Rates(by)); have != upTo {
			t.Fatalf("seed %d: the rates of band %s and better ones are of %d people, not %d", seed, want[best].Name, have, upTo)
		}

		// Another model moves rows from band to band.
		next := config
		next.Model = known.Network(r, q.Space.Inputs)
		after, err := Run(t.Context(), next, rows)
		if err != nil {
			t.Fatal(err)
		}
		now := place(next.Model)
		data := encoded(t, q.Space, rows)
		change, moves, up := Compare(got, after, q.Space, q.Region, data), make([][]int, n), 0
		for i := range moves {
			moves[i] = make([]int, n)
		}
		for i := range got.People {
			if a, b := of(rows[got.People[i].Index]), now(rows[got.People[i].Index]); a != b {
				moves[a][b]++
				up += one(b < a)
			}
		}
		to := turns(change.ToYes, change.ToNo, config.Rule)
		for i := range moves {
			if !slices.Equal(change.Bands[i].Enter, moves[i]) {
				t.Fatalf("seed %d: %+v, want %v", seed, change.Bands, moves)
			}
		}
		if to.Gain != up || change.Changed != to.Gain+to.Lose {
			t.Fatalf("seed %d: %+v, want %d who move up", seed, change.Moves, up)
		}
		changed += change.Changed

		var csv bytes.Buffer
		if err := got.WriteCSV(&csv, q.Space, rows, func(int) (string, int) { return "", 0 }); err != nil || !strings.Contains(csv.String(), ",score,band,enters,flips,") {
			t.Fatalf("%v\n%s", err, csv.String())
		}
	}
	if least := tier.Count(50, 1000); moved < least || worse < least || changed < least {
		t.Errorf("only %d people with a better band, %d with a worse one, %d with another by another model", moved, worse, changed)
	}
}
