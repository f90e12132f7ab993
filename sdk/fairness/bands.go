package fairness

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"sort"
	"strings"
)

// Band is an outcome of a decision: that of scores of Least or more, up to the next band.
type Band struct {
	Name  string
	Least *big.Rat
}

// Bands are the outcomes of a decision, the lowest scores first. The first band begins at 0. A
// score on the border of two bands is in the upper one; a share at most 2⁻²⁴ below a border is on
// it (see Half). Read-only.
type Bands []Band

// MostBands bounds the bands of a decision.
const MostBands = 64

// ParseBands reads what String writes: "A=0.8,B=0.6,C=0".
func ParseBands(text string) (Bands, error) {
	var names, least []string
	for _, part := range strings.Split(text, ",") {
		name, from, ok := strings.Cut(part, "=")
		if !ok {
			return nil, fmt.Errorf("%q: want BAND=LEAST SCORE, such as A=0.8,B=0.6,C=0", part)
		}
		names, least = append(names, strings.TrimSpace(name)), append(least, from)
	}
	return BandsOf(names, least)
}

// BandsOf makes bands of names and the least score of each, a decimal or a fraction. They are listed from
// the highest score to the lowest or the other way round, and the lowest one begins at 0.
func BandsOf(names, least []string) (Bands, error) {
	out := make(Bands, len(names))
	for i, name := range names {
		at, err := parseNumber(strings.TrimSpace(least[i]))
		if err != nil {
			return nil, fmt.Errorf("band %s: %w", name, err)
		}
		out[i] = Band{name, at}
	}
	if len(out) > 0 && out[0].Least.Sign() != 0 {
		slices.Reverse(out)
	}
	return out, out.Check()
}

// Check returns an error that names the first fault of the bands; nil if they are valid.
func (b Bands) Check() error {
	if n := len(b); n < 2 || n > MostBands {
		return fmt.Errorf("%d bands, want 2 to %d", n, MostBands)
	}
	seen := map[string]bool{}
	for i, band := range b {
		switch name := band.Name; {
		case name == "" || strings.TrimSpace(name) != name || strings.ContainsAny(name, ",="):
			return fmt.Errorf("%q cannot name a band: want a name without commas, equals signs or spaces at its ends", name)
		case seen[name]:
			return fmt.Errorf("band %s appears twice", name)
		case band.Least == nil:
			return fmt.Errorf("band %s has no least score", name)
		case i == 0 && band.Least.Sign() != 0:
			return fmt.Errorf("the lowest band, %s, begins at %s: it takes all scores below the others, so write 0", name, FormatRat(band.Least))
		case i > 0 && (band.Least.Sign() <= 0 || band.Least.Cmp(big.NewRat(1, 1)) >= 0):
			return fmt.Errorf("band %s begins at %s, which is not between 0 and 1", name, FormatRat(band.Least))
		case i > 0 && band.Least.Cmp(b[i-1].Least) <= 0:
			return fmt.Errorf("band %s begins at %s, band %s at %s: list the bands by their least scores, each a different one", name, FormatRat(band.Least), b[i-1].Name, FormatRat(b[i-1].Least))
		case band.Least.Denom().BitLen() > maxThreshold:
			return fmt.Errorf("band %s: its least score has more than 60 digits", name)
		}
		seen[band.Name] = true
	}
	return nil
}

// String lists the bands as a user writes them: "A=0.8,B=0.6,C=0".
func (b Bands) String() string {
	out := make([]string, 0, len(b))
	for i := len(b) - 1; i >= 0; i-- {
		out = append(out, b[i].Name+"="+FormatRat(b[i].Least))
	}
	return strings.Join(out, ",")
}

// Rule is the decision rule whose positive decisions are band j and those above it; j is not 0.
func (b Bands) Rule(j int) Rule { return Rule{Threshold: b[j].Least, At: true} }

// Favouring returns the rule whose favourable decision stands for the band at a place (see Place) and better ones. The place
// must not be the last.
func (b Bands) Favouring(place int, low bool) Rule {
	j := b.Place(place, low)
	if low {
		j++
	}
	rule := b.Rule(j)
	rule.Low = low
	return rule
}

// Place returns the place of the j-th band, 0 for the best band: with low that is the lowest band, else the highest. It is
// its own inverse.
func (b Bands) Place(j int, low bool) int {
	if low {
		return j
	}
	return len(b) - 1 - j
}

// Binning sorts scores into bins, which k counts: of width ε, or the bands of a decision. Read-only.
type Binning struct {
	link  Link
	eps   *big.Rat
	bands Bands
}

// Binning are the bins of scores of this link: the bands or, if there are none, bins of width eps.
func (l Link) Binning(eps *big.Rat, bands Bands) Binning { return Binning{l, eps, bands} }

// Bands returns the bands of the decision if these are the bins; nil if bins have width ε.
func (b *Binning) Bands() Bands { return b.bands }

// Count is the number of bins: of bands if there are any, else ⌈1/ε⌉.
func (b *Binning) Count() int {
	if b.bands != nil {
		return len(b.bands)
	}
	return Bins(b.eps)
}

// Of is the bin of the score of a logit, from 0 for the lowest, decided exactly.
func (b *Binning) Of(logit *big.Rat) int {
	if b.bands == nil {
		return b.link.Bin(logit, b.eps)
	}
	return sort.Search(len(b.bands)-1, func(j int) bool { return !b.begins(j+1, logit) })
}

// begins reports whether the score of a logit is at or above the least of band j.
func (b *Binning) begins(j int, logit *big.Rat) bool {
	rule := b.bands.Rule(j)
	if b.link == LinkShare {
		return logit.Cmp(rule.shareBorder()) >= 0
	}
	return rule.Yes(b.link, logit)
}

// K is the number of different bins of the scores of logits.
func (b *Binning) K(logits []*big.Rat) int {
	seen := map[int]bool{}
	for _, logit := range logits {
		seen[b.Of(logit)] = true
	}
	return len(seen)
}

// Edge encloses the logit at which bin j begins, as Link.Edge does.
func (b *Binning) Edge(j int) (lo, hi float64) {
	switch {
	case b.bands == nil:
		return b.link.Edge(j, b.eps)
	case j <= 0:
		return math.Inf(-1), math.Inf(-1)
	case j >= len(b.bands):
		return math.Inf(1), math.Inf(1)
	}
	return b.bands.Rule(j).Border(b.link)
}
