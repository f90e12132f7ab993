// Package fairness holds the definitions of individual fairness and
// discrimination clusters, written to be obviously correct: everything here is
// decided in exact or outward-rounded arithmetic. The fast paths live in
// sdk/evaluate and are tested against this package.
package fairness

import (
	"fmt"
	"math/big"
	"regexp"
	"strings"

	"github.com/hyfair/hyfair/internal/named"
)

// Notion says what it means for two copies of a person to be treated
// differently.
type Notion uint8

const (
	// Score is violated by |σ(l1) − σ(l2)| > ε. It is the default.
	Score Notion = iota + 1
	// Logit is violated by |l1 − l2| > ε, ε in logits. It is the objective of the paper's MILP on
	// one output unit (section "Certifying 2-Fairness requirements").
	Logit
	// Decision is violated if only one copy has a score above ½, the positive decision:
	// l1 > 0 ≥ l2. The margin is l1, subject to l2 ≤ 0.
	Decision
	// DecisionStrict is Fairify's published query, l1 > 0 > l2. The margin is
	// min(l1, −l2).
	DecisionStrict
	// Share replaces Score for a model whose output is itself a share (LinkShare): it is
	// violated by |s1 − s2| > ε, where s1 and s2 are shares. It is linear in the logits.
	// See Link.Notion.
	Share
)

// Notions lists, in order, every notion that a study may ask for.
var Notions = []Notion{Score, Logit, Decision, DecisionStrict}

// definitions says what each notion means, one file per notion. Nothing else in the
// SDK or the host depends on the notion, except sdk/encode, which lowers it, and
// methods that are for one notion only.
var definitions = [...]definition{Score: scoreGap, Logit: logitGap, Decision: decision, DecisionStrict: decisionStrict, Share: shareGap}

// definition is what a notion measures of two copies: a has the larger logit, b the
// smaller one. The methods of Notion document the fields.
type definition struct {
	name string
	// unit of ε; empty if the notion compares with 0.
	unit                  string
	linear, binned, jumps bool
	slope                 float64
	// check validates an ε; nil for a notion without ε.
	check func(eps *big.Rat) error
	// exceeds and margin are exact, margin up to 2^(−prec).
	exceeds func(a, b, target *big.Rat) bool
	margin  func(a, b *big.Rat, prec uint) (lo, hi *big.Rat)
	// between, promise (nil: between), most and sure work in float64 arithmetic.
	between, promise func(high, low float64) float64
	most             func(high, low, apart float64) float64
	sure             func(high, low, target float64) bool
}

func (n Notion) known() bool { return n > 0 && int(n) < len(definitions) }

// is returns the notion's definition, an empty one for an unknown notion.
func (n Notion) is() *definition {
	if !n.known() {
		return &definitions[0]
	}
	return &definitions[n]
}

// String gives the name used on the command line, in study files and in JSON.
func (n Notion) String() string {
	if name := n.is().name; name != "" {
		return name
	}
	return fmt.Sprintf("Notion(%d)", uint8(n))
}

// ParseNotion is the inverse of String.
func ParseNotion(name string) (Notion, error) {
	if name == Share.String() {
		return Share, nil
	}
	return named.Find(Notions, Notion.String, "notion", name)
}

// Validate checks a notion and, if it uses ε, the range of ε.
func (n Notion) Validate(eps *big.Rat) error {
	switch {
	case !n.known():
		return fmt.Errorf("unknown notion %d", n)
	case n.UsesEpsilon():
		return CheckEpsilon(eps, n)
	}
	return nil
}

// UsesEpsilon reports whether the notion compares with ε; the decision
// notions compare with 0.
func (n Notion) UsesEpsilon() bool { return n.Unit() != "" }

// Unit is what ε is a difference of, "score" or "logit"; empty for the notions
// without ε.
func (n Notion) Unit() string { return n.is().unit }

// Quantity names what the notion measures: "score gap", "logit gap" or "margin".
func (n Notion) Quantity() string {
	if n.UsesEpsilon() {
		return n.Unit() + " gap"
	}
	return "margin"
}

// Linear reports whether the gap or margin is linear in the two logits, so that a MILP
// or a script can express it. The score gap is not: see encode.Curve.
func (n Notion) Linear() bool { return n.is().linear }

// Binned reports whether ε is the width of a bin of scores, so that an individual
// has a k.
func (n Notion) Binned() bool { return n.is().binned }

// Jumps reports whether the margin is discontinuous where the smaller logit passes 0, as
// for Decision: the sign of that logit must be known exactly.
func (n Notion) Jumps() bool { return n.is().jumps }

// Slope bounds the change of the gap or margin if one of the two logits changes by 1
// without crossing a jump.
func (n Notion) Slope() float64 { return n.is().slope }

// Threshold is what a violation exceeds: ε, or 0 for the notions that use none.
func (n Notion) Threshold(eps *big.Rat) *big.Rat {
	if n.UsesEpsilon() {
		return eps
	}
	return new(big.Rat)
}

// Exponents have at most three digits: with longer ones, a short text could
// allocate gigabytes.
var (
	decimal  = regexp.MustCompile(`^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d{1,3})?$`)
	fraction = regexp.MustCompile(`^\d+/0*[1-9]\d*$`)
)

// maxEpsilon bounds the text of an ε, in bytes: reading it takes more than linear time.
const maxEpsilon = 4096

// ParseEpsilon reads ε as a decimal or a fraction, exactly, and checks the
// range the notion allows: 0 < ε < 1 for score, ε ≥ 0 for logit.
func ParseEpsilon(text string, n Notion) (*big.Rat, error) {
	eps, err := parseNumber(strings.TrimSpace(text))
	if err != nil {
		return nil, err
	}
	return eps, CheckEpsilon(eps, n)
}

func parseNumber(text string) (*big.Rat, error) {
	if len(text) > maxEpsilon || !decimal.MatchString(text) && !fraction.MatchString(text) {
		return nil, fmt.Errorf("%.60q is neither a decimal such as 0.05 nor a fraction such as 1/20 (at most %d bytes, and three digits in the exponent)", text, maxEpsilon)
	}
	out, ok := new(big.Rat).SetString(text)
	if !ok {
		return nil, fmt.Errorf("%.60q cannot be read as a number", text)
	}
	return out, nil
}

// FormatRat writes a number for reports and files: as a decimal if that ends within 60
// places, else as a fraction. ParseEpsilon reads it back.
func FormatRat(r *big.Rat) string {
	if places, ends := r.FloatPrec(); ends && places <= 60 {
		return r.FloatString(places)
	}
	return r.RatString()
}

// CheckEpsilon checks the range of ε for a notion that uses it: 2⁻⁶² ≤ ε < 1 for
// score, ε ≥ 0 for logit.
func CheckEpsilon(eps *big.Rat, n Notion) error {
	if eps == nil {
		return fmt.Errorf("ε is missing")
	}
	if check := n.is().check; check != nil {
		return check(eps)
	}
	return nil
}
