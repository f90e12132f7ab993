package cli

import (
	"fmt"
	"strings"

	"github.com/hyfair/hyfair/host/internal/view"
)

// quantifySet is the JSON object of hyfair quantify where --protected asks several
// questions; docs/cli.md lists its fields.
type quantifySet struct {
	Study     string            `json:"study"`
	Model     string            `json:"model"`
	Seed      int64             `json:"seed"`
	Seconds   float64           `json:"seconds"`
	Questions []*quantifyReport `json:"questions"`
}

// printSet shows several results once more, a line each.
func (j *quantifyJob) printSet(s *quantifySet) error {
	if j.app.JSON {
		return j.app.printJSON(s)
	}
	t := &view.Table{Columns: []view.Column{{Title: "protected"}}}
	for _, name := range []string{"fair", "unfair", "undecided", "sampled", "data set"} {
		t.Columns = append(t.Columns, view.Column{Title: name, Right: true})
	}
	for _, q := range s.Questions {
		sampled, rows := "-", "-"
		if q.Sampled != nil && q.Sampled.N > 0 {
			sampled = view.Share(q.Sampled.Share)
		}
		if q.Rows != nil && q.Rows.N > 0 {
			rows = view.Share(q.Rows.Share)
		}
		t.Rows = append(t.Rows, view.Texts(strings.Join(q.Protected, " × "),
			view.ShareOrDash(q.Fair), view.ShareOrDash(q.Unfair), view.ShareOrDash(q.Undecided), sampled, rows))
	}
	fmt.Fprintln(j.app.Stdout)
	return view.Of(t).Write(j.app.Stdout, view.Text, view.Options{})
}
