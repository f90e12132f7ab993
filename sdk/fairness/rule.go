package fairness

import (
	"fmt"
	"math"
	"math/big"
	"strings"
)

// Rule is a decision rule: it says which scores are a yes. The zero value says yes to a
// score above ½. A Rule is read-only and safe for concurrent use.
//
// Models have no rule: their decision is a yes if the logit exceeds 0. To apply a rule to a
// model, shift its logit by LargestNo.
type Rule struct {
	// Threshold is what the score of a yes must exceed, between 0 and 1; nil: ½.
	Threshold *big.Rat
	// Groups have thresholds of their own, in place of Threshold. Functions of a single logit or score then
	// need one of Each.
	Groups []Group
	// At says yes to a score that equals the threshold.
	At bool
	// Low says that the no is the favourable decision, as for a risk score. It changes no decision.
	Low bool
}

// Favours reports whether a decision is the favourable one: a yes (positive) or, with Low, a no.
func (r Rule) Favours(positive bool) bool { return positive != r.Low }

// Favourable names the favourable decision, positive or negative, and the other one.
func (r Rule) Favourable() (good, bad string) {
	if r.Low {
		return "negative", "positive"
	}
	return "positive", "negative"
}

// ParseThreshold reads a threshold as a decimal or a fraction, exactly.
func ParseThreshold(text string) (*big.Rat, error) {
	t, err := parseNumber(strings.TrimSpace(text))
	if err == nil && (t.Sign() <= 0 || t.Cmp(big.NewRat(1, 1)) >= 0) {
		err = fmt.Errorf("%s is not between 0 and 1", text)
	}
	if err == nil && t.Denom().BitLen() > maxThreshold {
		err = fmt.Errorf("%.60q… has more than 60 digits", text)
	}
	return t, err
}

// maxThreshold bounds the bits of a threshold's denominator: enough for 60 decimal places.
const maxThreshold = 200

// IsDefault reports whether the rule is "above ½", the rule of models themselves.
func (r Rule) IsDefault() bool {
	return r.Groups == nil && !r.At && (r.Threshold == nil || r.Threshold.Cmp(half) == 0)
}

var half = big.NewRat(1, 2)

// Least returns Threshold, or ½ if it is nil. Callers must not modify it.
func (r Rule) Least() *big.Rat {
	if r.Threshold == nil {
		return half
	}
	return r.Threshold
}

// String names the scores of a yes: "above 0.5", "0.3 or more".
func (r Rule) String() string {
	if r.Groups != nil {
		return r.byGroup()
	}
	t := FormatRat(r.Least())
	if r.At {
		return t + " or more"
	}
	return "above " + t
}

// Level is the threshold in float64.
func (r Rule) Level() float64 {
	t, _ := r.Least().Float64()
	return t
}

// Yes reports whether the score of an exact logit stands for a yes.
func (r Rule) Yes(l Link, logit *big.Rat) bool {
	if l == LinkShare {
		return logit.Cmp(r.shareBorder()) > 0
	}
	c := CompareScore(logit, r.Least())
	return c > 0 || c == 0 && r.At
}

// shareBorder is the largest logit of LinkShare that is a no. Shares count as equal to the
// threshold if they differ from it by no more than the rounding of their leaves: see Half.
func (r Rule) shareBorder() *big.Rat {
	at := new(big.Rat).Sub(r.Least(), half)
	if r.At {
		at.Sub(at, big.NewRat(1, 1<<23))
	}
	return at
}

// Near reports whether a score computed in float64, with an error far below 1/64, may lie on
// the other side of the threshold. If not, Says decides.
func (r Rule) Near(score float64) bool {
	t := r.Level()
	return math.Abs(score-t) < t*(1-t)/16+0x1p-22
}

// Says decides a float64 score, ignoring its rounding.
func (r Rule) Says(score float64) bool {
	t := r.Level()
	return score > t || r.At && score == t
}

// Border encloses the logit at which the decision changes.
func (r Rule) Border(l Link) (lo, hi float64) {
	if l != LinkShare {
		return LogitEnclosure(r.Least())
	}
	return Enclosure(r.shareBorder())
}

// LargestNo is the largest multiple of 2^(−bits) that, as a logit, is a no: a logit that is
// such a multiple is a yes if and only if it is larger. If the score is a sigmoid, the border
// itself is irrational, except at ½.
func (r Rule) LargestNo(l Link, bits int) *big.Rat {
	scale := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(bits)))
	var at *big.Rat
	if l == LinkShare {
		at = r.shareBorder()
	} else {
		at = preciseLogit(r.Least(), uint(bits)+64)
	}
	at.Mul(at, scale)
	k := new(big.Int).Div(at.Num(), at.Denom()) // the floor
	of := func() *big.Rat { return new(big.Rat).Quo(new(big.Rat).SetInt(k), scale) }
	one := big.NewInt(1)
	for r.Yes(l, of()) {
		k.Sub(k, one)
	}
	for {
		if k.Add(k, one); r.Yes(l, of()) {
			k.Sub(k, one)
			return of()
		}
	}
}

// preciseLogit is logit(p) for 0 < p < 1, with an error of a few 2^(−prec). It uses Newton's
// method on σ, which squares the error in each step.
func preciseLogit(p *big.Rat, prec uint) *big.Rat {
	at := new(big.Rat)
	at.SetFloat64(estimateLogit(p))
	if p.Cmp(half) == 0 {
		return at
	}
	for digits := uint(32); ; digits *= 2 {
		// Scores near 0 and 1 lose bits in proportion to the logit.
		work := 2*digits + 2*uint(math.Abs(estimateLogit(p))) + 64
		lo, _ := score(at, work)
		s := rational(lo)
		slope := new(big.Rat).Mul(s, new(big.Rat).Sub(big.NewRat(1, 1), s))
		step := new(big.Rat).Quo(new(big.Rat).Sub(p, s), slope)
		at.Add(at, step)
		rounded, _ := new(big.Float).SetPrec(work).SetRat(at).Rat(nil)
		if at = rounded; digits >= prec {
			return at
		}
	}
}
