package study

import (
	"errors"
	"os"
	"testing"

	"github.com/hyfair/hyfair/host/internal/question/yamlfile"
)

// FuzzStudy reads any bytes as a study. Nothing may panic, and what passes
// must be a valid space. Data files are looked for under a folder that is not
// there.
func FuzzStudy(f *testing.F) {
	for _, file := range []string{"testdata/people/study.yaml", "../../../../studies/adult.yaml", "../../../../studies/bank.yaml"} {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte("features: &f\n  a: {integer: 0..1, inputs: [one-hot, {table: [1, 2]}]}\n  <<: *f\n"))
	f.Add([]byte("features: {a: {categories: [~, \"\", 'x']}}\nprotected: {a: {values: 0, extrapolate: true}}\n"))
	f.Add([]byte("? - x\n: - y\n"))
	f.Add([]byte("features: {a: {real: -1e308..1e308, inputs: {min: -1e308, max: 1e308}}}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		root, err := yamlfile.Parse(text, "/nowhere/study.yaml", "a study")
		if err != nil {
			var fault *yamlfile.Fault
			if !errors.As(err, &fault) || fault.Line < 1 || fault.Column < 1 {
				t.Fatalf("%T without a place: %v", err, err)
			}
			return
		}
		r := &reader{}
		s := r.study(root)
		if r.Err() != nil {
			return
		}
		if err := s.switchRules([]string{"all"}); err != nil {
			t.Fatal(err)
		}
		if err := s.Space.Validate(); err != nil {
			t.Fatalf("no fault was found, but: %v", err)
		}
	})
}
