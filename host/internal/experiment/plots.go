package experiment

import "github.com/hyfair/hyfair/host/internal/view"

// Pictures lists an experiment's figures that were written to files.
type Pictures struct {
	// The files drawn, with --plots.
	Plots []string `json:"plots,omitempty"`
}

// Draw draws figures into a folder, which it creates, and adds their paths to Plots.
func (p *Pictures) Draw(dir, format string, figures []*view.Figure) error {
	paths, err := view.Draw(dir, format, figures)
	p.Plots = append(p.Plots, paths...)
	return err
}

// Page shows a table with its figures, and says why others are missing.
func Page(t interface {
	Document() *view.Document
	Figures() (figures []*view.Figure, without []string)
}) *view.Document {
	d := t.Document()
	figures, without := t.Figures()
	for _, f := range figures {
		d.Add(f)
	}
	if len(without) > 0 {
		d.Add(view.Paragraph(without))
	}
	return d
}
