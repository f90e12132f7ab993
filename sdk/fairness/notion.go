// Package fairness holds the definitions of individual fairness and
// discrimination clusters, written to be plainly right: everything here is
// decided in exact or outward-rounded arithmetic. The fast paths live in
// sdk/evaluate and are tested against this package.
package fairness

import (
	"fmt"
	"math/big"
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

// ParseEpsilon reads ε as a decimal or a fraction, exactly, and checks the
// range the notion allows: 0 < ε < 1 for score, ε ≥ 0 for logit.
func ParseEpsilon(text string, n Notion) (*big.Rat, error) {
	eps, ok := new(big.Rat).SetString(strings.TrimSpace(text))
	if !ok {
		return nil, fmt.Errorf("ε %q is not a decimal number", text)
	}
	return eps, CheckEpsilon(eps, n)
}

// CheckEpsilon checks the range of ε for the notion.
func CheckEpsilon(eps *big.Rat, n Notion) error {
	if eps == nil {
		return fmt.Errorf("ε is missing")
	}
	if n == Score && (eps.Sign() <= 0 || eps.Cmp(big.NewRat(1, 1)) >= 0) {
		return fmt.Errorf("ε = %s is outside 0 < ε < 1", eps.RatString())
	}
	if n == Logit && eps.Sign() < 0 {
		return fmt.Errorf("ε = %s is negative", eps.RatString())
	}
	return nil
}
