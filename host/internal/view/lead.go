package view

import "strings"

// Lead is the first screen of a document: what the answer is about, the answer in one sentence, and a few large
// figures. On a page its headline is the heading of the page, and the blocks up to the first Heading belong to it.
type Lead struct {
	// Kicker says in one line what the answer is about.
	Kicker string
	// Headline is the answer in one sentence.
	Headline Said
	// Alarm: the answer is bad news.
	Alarm bool
	// Verdict is what follows from the headline, in a few words; empty for none. Text explains it.
	Verdict string
	Text    []Said
	Cards   []Card
}

// Said is a sentence with the grade of what it says, such as "evaluated exactly"; empty for none.
type Said struct{ Text, Grade string }

// Card is one large figure.
type Card struct {
	Figure string
	// Label says what the figure is of, with its grade.
	Label Said
	// Detail is small print.
	Detail string
}

func (*Lead) block() {}

// String is the sentence with its grade.
func (s Said) String() string {
	if s.Grade == "" {
		return s.Text
	}
	return s.Text + " [" + s.Grade + "]"
}

// Class is the first word of the grade, by which a page chooses its colour.
func (s Said) Class() string {
	class, _, _ := strings.Cut(s.Grade, " ")
	return strings.TrimSuffix(class, ",")
}

// plain returns the lead without control characters and marks of direction.
func (l *Lead) plain() *Lead {
	said := func(s Said) Said { return Said{plainLine(s.Text), plainLine(s.Grade)} }
	out := &Lead{Kicker: plainLine(l.Kicker), Headline: said(l.Headline), Alarm: l.Alarm, Verdict: plainLine(l.Verdict)}
	for _, text := range l.Text {
		out.Text = append(out.Text, said(text))
	}
	for _, c := range l.Cards {
		out.Cards = append(out.Cards, Card{plainLine(c.Figure), said(c.Label), plainLine(c.Detail)})
	}
	return out
}

// parts are the blocks that show the lead in all formats but HTML.
func (l *Lead) parts() []Block {
	text := Paragraph{}
	if l.Verdict != "" {
		text = append(text, l.Verdict)
	}
	for _, said := range l.Text {
		text = append(text, said.String())
	}
	cards := &Facts{}
	for _, c := range l.Cards {
		cards.Add(c.Figure, c.Label.String()+"\n"+c.Detail)
	}
	out := []Block{Paragraph{l.Kicker, l.Headline.String()}}
	if len(text) > 0 {
		out = append(out, text)
	}
	if len(cards.Rows) > 0 {
		out = append(out, cards)
	}
	return out
}

// withoutLead is the document with its leads in parts.
func (d *Document) withoutLead() *Document {
	out := &Document{Data: d.Data}
	for _, b := range d.Blocks {
		block, _, _ := bare(b)
		if lead, ok := block.(*Lead); ok {
			out.Add(lead.parts()...)
		} else {
			out.Add(b)
		}
	}
	return out
}
