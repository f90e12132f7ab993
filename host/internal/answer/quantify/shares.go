package quantify

import (
	"fmt"
	"math/big"

	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/view"
)

// Shares says how many individuals are discriminated against, as results and
// reports on runs show it.
type Shares struct {
	// The share proved fair. The three shares add up to exactly 1 in float64; null without individuals.
	Fair *float64 `json:"fair"`
	// The share proved unfair; null without individuals.
	Unfair *float64 `json:"unfair"`
	// The rest; null without individuals.
	Undecided *float64 `json:"undecided"`
	// The three shares as fractions; null without individuals.
	Exact *Fractions `json:"exact"`
	// The interval of the share of discriminated individuals, from the proved unfair share to 1 less the proved fair
	// one; null without individuals.
	Interval *Interval `json:"interval"`
	// The grade of the proof: exact, rigorous or numerical; absent if nothing is proved.
	Grade string `json:"grade,omitempty"`
	// The number of individuals in decimal digits; absent if it is unknown or a feature is real.
	Individuals string `json:"individuals,omitempty"`
	// The number of discriminated individuals, bounded by the proved shares, by met and, if it is all
	// individuals, by the sample.
	Discriminated *Bounds `json:"discriminated,omitempty"`
	// The number of different individuals that were evaluated exactly and are discriminated against.
	Met int `json:"met"`
	// The sample, drawn uniformly or from the population; absent with --samples 0 and without individuals.
	Sampled *SampledShare `json:"sampled,omitempty"`
	// The data set's rows, evaluated exactly; absent without data, or if that took too long.
	Rows *RowsShare `json:"rows,omitempty"`
	// The number of boxes that the solver examined.
	Boxes int64 `json:"boxes"`
	// The solver finished.
	Complete bool `json:"complete"`
	// The reason why something is undecided.
	Reason string `json:"reason,omitempty"`
	// Mistakes in the solver's answers. With any, nothing counts as proved.
	Faults []string `json:"faults,omitempty"`
	// The people that the shares are of; absent if each combination of values counts once.
	Population string `json:"population,omitempty"`
	// The method of the proof: convolution of a linear model's contributions, without a solver; absent with boxes.
	ProvedBy string `json:"proved_by,omitempty"`
}

// Fractions has the shares as fractions.
type Fractions struct {
	// The proved fair share, such as "647663/799500".
	Fair string `json:"fair"`
	// The proved unfair share.
	Unfair string `json:"unfair"`
	// The undecided share.
	Undecided string `json:"undecided"`
}

// Bounds enclose a number of individuals.
type Bounds struct {
	// The least number, in decimal digits.
	AtLeast string `json:"at_least"`
	// The largest number, in decimal digits.
	AtMost string `json:"at_most"`
}

// Interval encloses a share, or a number computed from shares.
type Interval struct {
	// The lower end.
	Lo float64 `json:"lo"`
	// The upper end.
	Hi float64 `json:"hi"`
}

// SampledShare is the share among the individuals that were drawn.
type SampledShare struct {
	// The share of discriminated individuals in the sample.
	Share float64 `json:"share"`
	// The lower end of the interval.
	Lo float64 `json:"lo"`
	// The upper end of the interval.
	Hi float64 `json:"hi"`
	// The number of individuals drawn. Fewer than asked for if few points of the space are individuals,
	// or if evaluation took too long.
	N int `json:"n"`
	// The sample is all individuals, and lo and hi are the share itself.
	All bool `json:"all"`
	// The method of the interval: clopper-pearson, or enumeration.
	Method string `json:"method"`
	// The confidence of the interval: 0.95, or 1 for enumeration.
	Confidence float64 `json:"confidence"`
	// With --population, at most 64 of the discriminated individuals in the sample: their values by feature.
	Examples []map[string]float64 `json:"examples,omitempty"`
}

// RowsShare is the share among the rows of the data set.
type RowsShare struct {
	// The share of discriminated rows.
	Share float64 `json:"share"`
	// The number of discriminated rows.
	Unfair int `json:"unfair"`
	// The number of rows evaluated.
	N int `json:"n"`
	// The number of rows that are not individuals of the region; n leaves them out.
	Outside int `json:"outside"`
}

// SharesOf converts an event. If its shares are invalid, as in a damaged journal,
// nothing counts as proved.
func SharesOf(s *record.Shares, faults []string) Shares {
	proved := [...]*big.Rat{new(big.Rat), new(big.Rat), big.NewRat(1, 1)} // fair, unfair, undecided
	out := Shares{Population: s.Population, ProvedBy: s.ProvedBy, Met: max(0, s.Met), Boxes: s.Boxes, Complete: s.Complete, Reason: s.Reason, Faults: faults}
	fair, ok1 := fraction(s.Fair)
	unfair, ok2 := fraction(s.Unfair)
	if ok1 && ok2 {
		if left := new(big.Rat).Sub(proved[2], new(big.Rat).Add(fair, unfair)); left.Sign() >= 0 {
			proved, out.Grade = [...]*big.Rat{fair, unfair, left}, s.Grade
		}
	}
	if n, ok := fraction(s.Individuals); ok && n.IsInt() {
		out.Individuals = n.Num().String()
	}
	if !out.Nobody() {
		fair, unfair, undecided := floats(proved[0], proved[1], proved[2])
		out.Fair, out.Unfair, out.Undecided = &fair, &unfair, &undecided
		out.Exact = &Fractions{proved[0].RatString(), proved[1].RatString(), proved[2].RatString()}
		out.Interval = &Interval{Lo: unfair, Hi: 1 - fair}
	}
	if n, ok := new(big.Int).SetString(out.Individuals, 10); ok && !out.Nobody() {
		out.Discriminated = bounds(n, proved[0], proved[1], out.Met, s.Sampled)
	}
	if c := s.Sampled; sane(c) && !out.Nobody() {
		share := shareOf(c.Unfair, c.N)
		out.Sampled = &SampledShare{Share: share, Lo: share, Hi: share, N: c.N, All: c.All, Method: "enumeration", Confidence: 1}
		if !c.All {
			out.Sampled.Method, out.Sampled.Confidence = Method, Confidence
			out.Sampled.Lo, out.Sampled.Hi = ClopperPearson(c.Unfair, c.N, Confidence)
		}
	}
	if c := s.Rows; sane(c) {
		out.Rows = &RowsShare{shareOf(c.Unfair, c.N), c.Unfair, c.N, c.Outside}
	}
	return out
}

// bounds encloses the number of discriminated individuals among n. It uses the proved shares, the
// number met in evaluation, and a sample if that has all individuals.
func bounds(n *big.Int, fair, unfair *big.Rat, met int, sampled *record.Counted) *Bounds {
	part := func(share *big.Rat) *big.Int { // n is a multiple of the share's denominator
		all := new(big.Int).Mul(n, share.Num())
		return all.Quo(all, share.Denom())
	}
	least, most := part(unfair), new(big.Int).Sub(n, part(fair))
	if m := big.NewInt(int64(met)); least.Cmp(m) < 0 && m.Cmp(most) <= 0 {
		least = m
	}
	if sane(sampled) && sampled.All {
		least = big.NewInt(int64(sampled.Unfair))
		most = least
	}
	return &Bounds{least.String(), most.String()}
}

// floats are the three shares in float64, the proved ones rounded down to multiples
// of 2⁻⁵³, so that they add up to exactly 1 in every order. If nothing is
// undecided, the unfair share gets what rounding takes from the fair one.
func floats(fair, unfair, undecided *big.Rat) (f, u, open float64) {
	if f = down(fair); undecided.Sign() == 0 {
		return f, 1 - f, 0
	}
	u = down(unfair)
	return f, u, 1 - f - u
}

// down rounds a share down to a multiple of 2⁻⁵³.
func down(share *big.Rat) float64 {
	n := new(big.Int).Lsh(share.Num(), 53)
	n.Quo(n, share.Denom())
	f, _ := new(big.Float).SetMantExp(new(big.Float).SetInt(n), -53).Float64()
	return f
}

// ProvedFair sets the shares to a proof, of that grade, that no individual is discriminated against.
func (s *Shares) ProvedFair(grade string) {
	all, none, open := 1.0, 0.0, 0.0
	s.Fair, s.Unfair, s.Undecided, s.Grade = &all, &none, &open, grade
	s.Exact, s.Interval = &Fractions{"1", "0", "0"}, &Interval{}
	if s.Complete, s.Reason, s.Met = true, "", 0; s.Individuals != "" {
		s.Discriminated = &Bounds{"0", "0"}
	}
}

// Nobody reports whether the space is empty, so that shares are undefined.
func (s *Shares) Nobody() bool { return s.Individuals == "0" }

// mostDigits is the length of the longest number to parse; those of a space have tens of digits.
const mostDigits = 1 << 12

// fraction parses a share such as "3/8".
func fraction(text string) (*big.Rat, bool) {
	if len(text) > mostDigits {
		return nil, false
	}
	for _, c := range text {
		if c != '/' && (c < '0' || c > '9') {
			return nil, false
		}
	}
	return new(big.Rat).SetString(text)
}

func sane(c *record.Counted) bool { return c != nil && 0 <= c.Unfair && c.Unfair <= c.N }

// Measures returns the shares by name, for lists of runs.
func (s *Shares) Measures() map[string]*float64 {
	m := map[string]*float64{"fair": s.Fair, "unfair": s.Unfair, "undecided": s.Undecided}
	if s.Sampled != nil && s.Sampled.N > 0 {
		m["sampled"] = &s.Sampled.Share
	}
	if s.Rows != nil && s.Rows.N > 0 {
		m["rows"] = &s.Rows.Share
	}
	return m
}

// Between says in words how many individuals are discriminated against.
func (s *Shares) Between() string { return s.Who("are discriminated against") }

// Who is Between with other words for what is asked about individuals.
func (s *Shares) Who(are string) string {
	if s.Nobody() {
		return "there is no individual in the space asked about: 0 of 0 individuals " + are
	}
	lo, hi := view.Share(s.Interval.Lo), view.Share(s.Interval.Hi)
	d := s.Discriminated
	of := "all individuals"
	if s.Population != "" {
		of = "people (" + s.Population + ")"
	}
	switch {
	case d == nil && s.Settled():
		return fmt.Sprintf("%s of %s %s", lo, of, are)
	case d == nil:
		return fmt.Sprintf("between %s and %s of %s %s", lo, hi, of, are) + s.met()
	}
	n, least, most := number(s.Individuals), number(d.AtLeast), number(d.AtMost)
	if of = view.BigCount(n) + " individuals"; !n.IsInt64() || n.Int64() >= 1e15 {
		of += ", each a combination of values,"
	}
	if least.Cmp(most) == 0 {
		return fmt.Sprintf("%s of %s (%s) %s", view.BigCount(least), of, view.Share(ratio(least, n)), are)
	}
	return fmt.Sprintf("at least %s and at most %s of %s (%s to %s) %s",
		view.BigCount(least), view.BigCount(most), of, view.Share(ratio(least, n)), hi, are) + s.met()
}

// Settled reports whether no noticeable share is undecided.
func (s *Shares) Settled() bool {
	return *s.Undecided == 0 || *s.Undecided < settledTo && view.Share(s.Interval.Lo) == view.Share(s.Interval.Hi)
}

// settledTo is a negligible undecided share: rounding may leave that much of a population undecided.
const settledTo = 1e-6

// met adds, to a statement without a proved unfair share, how many discriminated individuals were
// evaluated; empty if none were.
func (s *Shares) met() string {
	if s.Met == 0 || *s.Unfair > 0 {
		return ""
	}
	were := "were"
	if s.Met == 1 {
		were = "was"
	}
	return fmt.Sprintf("; %s of them %s met by evaluation, but not proved yet", view.Count(s.Met), were)
}

// Bounds returns exact bounds of the share of discriminated individuals; nil for an empty space.
func (s *Shares) Bounds() (lo, hi *big.Rat) {
	if s.Nobody() {
		return nil, nil
	}
	lo, _ = fraction(s.Exact.Unfair)
	fair, _ := fraction(s.Exact.Fair)
	hi = new(big.Rat).Sub(big.NewRat(1, 1), fair)
	if d := s.Discriminated; d != nil { // they count the individuals met, too
		lo.SetFrac(number(d.AtLeast), number(s.Individuals))
		hi.SetFrac(number(d.AtMost), number(s.Individuals))
	}
	return lo, hi
}

// number reads decimal digits that were checked before.
func number(digits string) *big.Int {
	n, _ := new(big.Int).SetString(digits, 10)
	return n
}

func ratio(part, of *big.Int) float64 {
	share, _ := new(big.Rat).SetFrac(part, of).Float64()
	return share
}
