package main

import (
	"slices"
	"strings"
	"testing"
)

func TestReadChunk(t *testing.T) {
	k, err := readChunk("(set-logic QF_LIRA) ; (not a command\n(declare-const |a )\n b| Int)(declare-fun f ( ) Real)\n" +
		"(declare-fun g (Int) Int)(define-fun two () Int 2)(assert (= f 1.5))(set-info :source |x\ny|)(assert true)")
	if err != nil {
		t.Fatal(err)
	}
	if k.logic != "QF_LIRA" || len(k.constants) != 2 || k.constants["a )\n b"] != "Int" || k.constants["f"] != "Real" {
		t.Errorf("logic %q, constants %v", k.logic, k.constants)
	}
	var heads []string
	for _, c := range k.names {
		heads = append(heads, c.words[0])
	}
	if want := []string{"declare-const", "declare-fun", "declare-fun", "define-fun"}; !slices.Equal(heads, want) {
		t.Errorf("names %v, want %v", heads, want)
	}
	if strings.Contains(k.text, "set-") || strings.Count(k.text, "\n") != 4 || !strings.Contains(k.text, "(assert true)") {
		t.Errorf("text for Z3:\n%s", k.text)
	}
	// Definitions are included only if the text mentions them.
	if got := prelude([]*chunk{k}, "(assert (> f 1))"); strings.Contains(got, "define-fun") || !strings.Contains(got, "declare-fun g") {
		t.Errorf("prelude:\n%s", got)
	}
	if got := prelude([]*chunk{k}, "(assert (> f two))"); !strings.Contains(got, "(define-fun two () Int 2)") {
		t.Errorf("prelude:\n%s", got)
	}
}

// FuzzReadChunk: any text gives an error, or a text for Z3 of the same length and lines
// with allowed commands only.
func FuzzReadChunk(f *testing.F) {
	f.Add("(declare-const x Int)(assert (= x 1))")
	f.Add("(set-logic QF_LRA)\n(define-fun y () Real (/ 1 3)) ; done")
	f.Add("(declare-fun |a|b\" () Int)")
	f.Add("((((")
	f.Add("(set-info :x \"a\"\"b\")(exit)")
	f.Fuzz(func(t *testing.T, text string) {
		k, err := readChunk(text)
		if err != nil {
			return
		}
		if len(k.text) != len(text) || strings.Count(k.text, "\n") != strings.Count(text, "\n") {
			t.Fatalf("%q becomes %q", text, k.text)
		}
		again, err := scan(k.text)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range again {
			if head := c.words[0]; head != "assert" && !slices.Contains(declaring, head) && !slices.Contains(defining, head) {
				t.Fatalf("%q is left in %q", head, k.text)
			}
		}
	})
}
