package verdict

import (
	"fmt"
	"io"
	"strings"

	"github.com/hyfair/hyfair/host/internal/answer/certify"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/host/internal/view"
)

// Results is the answer to a Request and the JSON object of hyfair certify where
// --protected asks several questions; docs/cli.md lists its fields.
type Results struct {
	Study   string  `json:"study"`
	Model   string  `json:"model"`
	Seed    int64   `json:"seed"`
	Seconds float64 `json:"seconds"`
	// Verdict is unfair where one question's is, fair where all are.
	Verdict   string    `json:"verdict"`
	Questions []*Result `json:"questions"`

	asked int
}

// add takes in the answer to a question, and shows it where it is one of several.
func (r *Results) add(s *session.Session, one *Result) {
	r.Questions = append(r.Questions, one)
	if r.Verdict == certify.Fair.String() || one.Verdict == certify.Unfair.String() {
		r.Verdict = one.Verdict
	}
	if s.Part == nil {
		return
	}
	var d *view.Document
	if r.asked > 1 {
		d = one.Document()
	}
	s.Part(d, one.warnings)
}

// finish settles the verdict of questions of which some may have no answer.
func (r *Results) finish(seconds float64) *Results {
	if r.Seconds = seconds; len(r.Questions) < r.asked && r.Verdict == certify.Fair.String() {
		r.Verdict = certify.Undecided.String()
	}
	return r
}

// WriteJSON writes the answer to a single question as it is.
func (r *Results) WriteJSON(w io.Writer) error {
	if r.asked == 1 {
		return view.JSON(w, r.Questions[0], "  ")
	}
	return view.JSON(w, r, "  ")
}

// Document shows the answer to a single question, or a line for each of several, whose
// own documents the session has shown.
func (r *Results) Document() *view.Document {
	if r.asked == 1 {
		return r.Questions[0].Document()
	}
	var lines view.Paragraph
	for _, q := range r.Questions {
		gap := ""
		if q.Gap != nil {
			gap = fmt.Sprintf(", %.6g", *q.Gap)
		}
		lines = append(lines, fmt.Sprintf("%-40s %s%s", strings.Join(q.Protected, " × "), q.Verdict, gap))
	}
	return view.Of(view.Paragraph{}, lines)
}
