package trees

import (
	"fmt"
	"math/big"
	"strings"
)

// Script implements encode.Script: a definition for each tree, nested by its
// comparisons, in exact arithmetic.
func (e *Ensemble) Script(suffix string, inputs []string) (declarations, logit string) {
	var b strings.Builder
	terms := []string{number(e.Base)}
	for k, t := range e.Trees {
		name := fmt.Sprintf("tree%d%s", k, suffix)
		fmt.Fprintf(&b, "(define-fun %s () Real ", name)
		t.write(&b, 0, inputs)
		b.WriteString(")\n")
		terms = append(terms, name)
	}
	if len(terms) == 1 {
		return "", terms[0]
	}
	fmt.Fprintf(&b, "(define-fun sum%s () Real (+ %s))\n", suffix, strings.Join(terms, " "))
	return b.String(), "sum" + suffix
}

func (t Tree) write(b *strings.Builder, i int32, inputs []string) {
	n := &t[i]
	if n.IsLeaf() {
		b.WriteString(number(n.Value))
		return
	}
	b.WriteString("(ite ")
	n.condition(b, inputs[n.Input])
	b.WriteByte(' ')
	t.write(b, n.Left, inputs)
	b.WriteByte(' ')
	t.write(b, n.Right, inputs)
	b.WriteByte(')')
}

// condition writes the formula that the input goes left.
func (n *Node) condition(b *strings.Builder, input string) {
	below := "<"
	if n.Closed {
		below = "<="
	}
	if len(n.More) == 0 {
		fmt.Fprintf(b, "(%s %s %s)", below, input, number(n.Value))
		return
	}
	all := append([]float64{n.Value}, n.More...)
	fmt.Fprintf(b, "(or (%s %s %s)", below, input, number(all[0]))
	for k := 1; k < len(all); k += 2 {
		if k+1 == len(all) {
			fmt.Fprintf(b, " (not (%s %s %s))", below, input, number(all[k]))
		} else {
			fmt.Fprintf(b, " (and (not (%s %s %s)) (%s %s %s))", below, input, number(all[k]), below, input, number(all[k+1]))
		}
	}
	b.WriteByte(')')
}

// number returns an SMT-LIB term for v.
func number(v float64) string {
	r := new(big.Rat).SetFloat64(v)
	text := fmt.Sprintf("%s.0", new(big.Int).Abs(r.Num()))
	if !r.IsInt() {
		text = fmt.Sprintf("(/ %s %s.0)", text, r.Denom())
	}
	if r.Sign() < 0 {
		text = "(- " + text + ")"
	}
	return text
}
