package export

import (
	"strings"

	"github.com/hyfair/hyfair/sdk/problem"
)

// writeSMT writes the script unchanged, then the commands that solve it. An objective becomes
// (maximize …) or (minimize …), an extension of Z3 and OptiMathSAT.
func writeSMT(w *writer, p *problem.Problem) error {
	s := p.SMT
	w.printf("(set-option :produce-models true)\n")
	w.printf("%s", s.Text)
	if !strings.HasSuffix(s.Text, "\n") {
		w.printf("\n")
	}
	if s.Objective != "" {
		goal := "minimize"
		if s.Maximise {
			goal = "maximize"
		}
		w.printf("(%s %s)\n", goal, quoted(s.Objective))
	}
	w.printf("(check-sat)\n")
	if len(s.Symbols) == 0 {
		return nil
	}
	w.printf("(get-value (")
	for i := range s.Symbols {
		w.printf("\n  %s", quoted(s.Symbols[i].Name))
	}
	w.printf("))\n")
	return nil
}

// quoted formats a name as an SMT-LIB symbol, in bars if necessary.
func quoted(name string) string {
	simple := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("~!@$%^&*_-+=<>.?/", r)
	}
	if name != "" && strings.IndexFunc(name, func(r rune) bool { return !simple(r) }) < 0 {
		return name
	}
	return "|" + name + "|"
}
