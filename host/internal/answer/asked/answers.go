package asked

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/hyfair/hyfair/host/internal/answer/gate"
	"github.com/hyfair/hyfair/host/internal/view"
)

// Answers is the answer to a request with one question or, with --protected each or subsets
// or with --thresholds, several. In JSON the answer to a single question is written without the list.
type Answers[R answered[R]] struct {
	// The study's name.
	Study string `json:"study"`
	// The file name of the model.
	Model string `json:"model"`
	// The value of --seed.
	Seed int64 `json:"seed"`
	// Wall time of all questions, in seconds.
	Seconds float64 `json:"seconds"`
	// For certify: unfair if any question's verdict is, fair if all are, else undecided.
	Verdict string `json:"verdict,omitempty"`
	// One answer for each set of attributes, class or threshold, smaller sets first. There are fewer after
	// an interrupt or an error, or if the answer about one class settles the others.
	Questions []R `json:"questions"`
	// Checks holds the checks of gates if several questions were asked; a single answer holds its
	// own.
	gate.Checks
	// Several: more than one question was asked; some may have no answer.
	Several bool `json:"-"`
}

// answered constrains the answers to single questions that Answers can hold.
type answered[R any] interface {
	Document() *view.Document
	// Asks names the question's protected attributes.
	Asks() []string
	// Overview shows several answers, one per line.
	Overview([]R) view.Block
	// Hold and Checked are the methods of gate.Checks.
	Hold(...gate.Check)
	Checked() []gate.Check
	// Unchecked is the method of question.Grounds.
	Unchecked() string
}

// object is Answers without its methods, for encoding/json.
type object[R answered[R]] Answers[R]

// MarshalJSON implements json.Marshaler.
func (a *Answers[R]) MarshalJSON() ([]byte, error) {
	var text bytes.Buffer
	if a.Several {
		err := view.JSON(&text, (*object[R])(a), "")
		return text.Bytes(), err
	}
	err := view.JSON(&text, a.Questions[0], "")
	return text.Bytes(), err
}

// UnmarshalJSON implements json.Unmarshaler.
func (a *Answers[R]) UnmarshalJSON(text []byte) error {
	*a = Answers[R]{}
	if err := json.Unmarshal(text, (*object[R])(a)); err != nil {
		return err
	}
	if a.Several = a.Questions != nil; a.Several {
		return nil
	}
	a.Questions = make([]R, 1)
	return json.Unmarshal(text, &a.Questions[0])
}

// Document shows the answer to a single question, or an overview of several; the session has
// shown each answer's own document.
func (a *Answers[R]) Document() *view.Document {
	if !a.Several {
		return a.Questions[0].Document()
	}
	var one R
	d := view.Of(view.Paragraph{})
	if headed, ok := any(one).(interface{ Head([]R) []view.Block }); ok {
		d.Add(headed.Head(a.Questions)...)
	}
	d.Add(one.Overview(a.Questions))
	if a.Verdict != "" {
		d.Add(view.Paragraph{"all together: " + strings.ToUpper(a.Verdict)})
	}
	d.Add(a.Blocks()...)
	return d
}

// Hold appends checks of gates.
func (a *Answers[R]) Hold(all ...gate.Check) {
	if a.Several {
		a.Checks.Hold(all...)
	} else {
		a.Questions[0].Hold(all...)
	}
}

// Checked returns the checks of gates.
func (a *Answers[R]) Checked() []gate.Check {
	if a.Several {
		return a.Gates
	}
	return a.Questions[0].Checked()
}

// Unchecked returns the first question's Unchecked: all are about one study.
func (a *Answers[R]) Unchecked() string {
	if len(a.Questions) == 0 {
		return ""
	}
	return a.Questions[0].Unchecked()
}

// HoldEach checks each answer against a gate. If some of the asked questions have no answer, it
// adds an undecided check for them.
func (a *Answers[R]) HoldEach(g gate.Gate, asked int, hold func(one R, of string) gate.Check) {
	for _, one := range a.Questions {
		of := ""
		if a.Several {
			of = strings.Join(one.Asks(), " × ")
		}
		a.Hold(hold(one, of))
	}
	if n := asked - len(a.Questions); n > 0 {
		a.Hold(g.Is("", gate.Undecided, fmt.Sprintf("%d of %d questions have no answer", n, asked)))
	}
}

// Page shows the document, and then the answers: in one figure if R has a method Curve and it
// returns one, else one below the other.
func (a *Answers[R]) Page() *view.Document {
	d := a.Document()
	if a.Several {
		var one R
		if curved, ok := any(one).(interface{ Curve([]R) *view.Figure }); ok {
			if f := curved.Curve(a.Questions); f != nil {
				d.Add(f)
				return d
			}
		}
		for _, one := range a.Questions {
			d.Add(view.Heading(strings.Join(one.Asks(), " × ")))
			d.Add(pageOf(one).Blocks...)
		}
		return d
	}
	return pageOf(a.Questions[0])
}

// pageOf shows an answer with its figures, if any.
func pageOf[R answered[R]](one R) *view.Document {
	if p, ok := any(one).(interface{ Page() *view.Document }); ok {
		return p.Page()
	}
	return one.Document()
}
