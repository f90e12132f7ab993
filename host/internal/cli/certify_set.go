package cli

import (
	"fmt"
	"strings"

	"github.com/hyfair/hyfair/host/internal/answer/certify"
)

// certifySet is the JSON object of hyfair certify where --protected asks
// several questions; docs/cli.md lists its fields.
type certifySet struct {
	Study   string  `json:"study"`
	Model   string  `json:"model"`
	Seed    int64   `json:"seed"`
	Seconds float64 `json:"seconds"`
	// Verdict is unfair where one question's is, fair where all are.
	Verdict   string           `json:"verdict"`
	Questions []*certifyOutput `json:"questions"`
}

func (s *certifySet) add(out *certifyOutput) {
	s.Questions = append(s.Questions, out)
	switch {
	case out.Verdict == certify.Unfair.String():
		s.Verdict = out.Verdict
	case out.Verdict != certify.Fair.String() && s.Verdict == certify.Fair.String():
		s.Verdict = out.Verdict
	}
}

// finish settles the verdict of a set that asked questions of which some may
// have no answer.
func (s *certifySet) finish(asked int) {
	if len(s.Questions) < asked && s.Verdict == certify.Fair.String() {
		s.Verdict = certify.Undecided.String()
	}
}

func (j *certifyJob) printSet(s *certifySet) error {
	if j.app.JSON {
		return j.app.printJSON(s)
	}
	w := j.app.Stdout
	fmt.Fprintln(w)
	for _, q := range s.Questions {
		fmt.Fprintf(w, "%-40s %s", strings.Join(q.Protected, " × "), q.Verdict)
		if q.Gap != nil {
			fmt.Fprintf(w, ", %.6g", *q.Gap)
		}
		fmt.Fprintln(w)
	}
	return nil
}
