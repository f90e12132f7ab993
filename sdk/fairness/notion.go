// Package fairness holds the definitions of individual fairness and
// discrimination clusters, written to be plainly right: everything here is
// decided in exact or outward-rounded arithmetic. The fast paths live in
// sdk/evaluate and are tested against this package.
package fairness

import (
	"fmt"
	"math/big"
	"regexp"
	"strings"
)

// Notion says what it means for two copies of a person to be treated
// differently.
type Notion uint8

const (
	// Score: |σ(l1) − σ(l2)| > ε. The default.
	Score Notion = iota + 1
	// Logit: |l1 − l2| > ε, ε in logits. The objective of the paper's MILP on
	// one output unit (section "Certifying 2-Fairness requirements").
	Logit
	// Decision: the copies get different decisions where a score above ½
	// decides, l1 > 0 ≥ l2. The margin is l1, subject to l2 ≤ 0.
	Decision
	// DecisionStrict is Fairify's published query, l1 > 0 > l2. The margin is
	// min(l1, −l2).
	DecisionStrict
)

// Notions lists every notion in order.
var Notions = []Notion{Score, Logit, Decision, DecisionStrict}

var notionNames = map[Notion]string{
	Score: "score", Logit: "logit", Decision: "decision", DecisionStrict: "decision-strict",
}

// String gives the name used on the command line, in study files and in JSON.
func (n Notion) String() string {
	if name, ok := notionNames[n]; ok {
		return name
	}
	return fmt.Sprintf("Notion(%d)", uint8(n))
}

// UsesEpsilon reports whether the notion compares with ε; the decision
// notions compare with 0.
func (n Notion) UsesEpsilon() bool { return n == Score || n == Logit }

// ParseNotion is the inverse of String.
func ParseNotion(name string) (Notion, error) {
	for n, s := range notionNames {
		if s == name {
			return n, nil
		}
	}
	names := make([]string, len(Notions))
	for i, n := range Notions {
		names[i] = n.String()
	}
	return 0, fmt.Errorf("unknown notion %q; known: %s", name, strings.Join(names, ", "))
}

// Exponents have three digits: a longer one would let a short text ask for
// gigabytes.
var (
	decimal  = regexp.MustCompile(`^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d{1,3})?$`)
	fraction = regexp.MustCompile(`^\d+/0*[1-9]\d*$`)
)

// maxEpsilon bounds the text of an ε: reading it takes more than linear time.
const maxEpsilon = 4096

// ParseEpsilon reads ε as a decimal or a fraction, exactly, and checks the
// range the notion allows: 0 < ε < 1 for score, ε ≥ 0 for logit.
func ParseEpsilon(text string, n Notion) (*big.Rat, error) {
	text = strings.TrimSpace(text)
	if len(text) > maxEpsilon || !decimal.MatchString(text) && !fraction.MatchString(text) {
		return nil, fmt.Errorf("%.60q is neither a decimal such as 0.05 nor a fraction such as 1/20", text)
	}
	eps, ok := new(big.Rat).SetString(text)
	if !ok {
		return nil, fmt.Errorf("%.60q cannot be read as a number", text)
	}
	return eps, CheckEpsilon(eps, n)
}

// Exact writes a number as every report and file has it: as a decimal where that
// ends within 60 places, else as a fraction. ParseEpsilon reads it back.
func Exact(r *big.Rat) string {
	if places, ends := r.FloatPrec(); ends && places <= 60 {
		return r.FloatString(places)
	}
	return r.RatString()
}

// leastEpsilon makes as many bins as an int numbers.
var leastEpsilon = new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 62))

// CheckEpsilon checks the range of ε for the notion: 2⁻⁶² ≤ ε < 1 for score, ε ≥ 0
// for logit.
func CheckEpsilon(eps *big.Rat, n Notion) error {
	if eps == nil {
		return fmt.Errorf("ε is missing")
	}
	if n == Score && (eps.Sign() <= 0 || eps.Cmp(big.NewRat(1, 1)) >= 0) {
		return fmt.Errorf("ε = %s is outside 0 < ε < 1", Exact(eps))
	}
	if n == Score && eps.Cmp(leastEpsilon) < 0 {
		return fmt.Errorf("ε = %s is below 2⁻⁶² (2.2e-19), the least difference of scores that is told apart", Exact(eps))
	}
	if n == Logit && eps.Sign() < 0 {
		return fmt.Errorf("ε = %s is negative", Exact(eps))
	}
	return nil
}
