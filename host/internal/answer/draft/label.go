package draft

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/fairness"
)

var (
	labelNames = regexp.MustCompile(`(?i)^(y|label|labels|target|class|outcome|output|income|approved|accepted|decision|default|deposit|subscribed|hired|paid|churn|survived|two_year_recid|credit_risk|risk|response|result)$`)
	yes        = regexp.MustCompile(`(?i)^(1|1\.0|yes|y|ja|oui|sí|sim|true|t|positive|pos|good|approved|accepted|accept|granted|hired|>50k\.?)$`)
	no         = regexp.MustCompile(`(?i)^(0|0\.0|-1|no|n|nein|non|nee|não|false|f|negative|neg|bad|denied|rejected|reject|refused|<=50k\.?)$`)
	// protectedNames and protectedValues match common names and values of protected attributes.
	protectedNames  = regexp.MustCompile(`(?i)(^|[^a-z])(sex|gender|race|ethnic\w*|age|religion|nationality|native\w*|origin|disab\w*|marital\w*|pregnan\w*|orientation|skin\w*|birth\w*|dob)([^a-z]|$)`)
	protectedValues = regexp.MustCompile(`(?i)^(male|female|man|woman|men|women|white|black|asian|hispanic|african.*|caucasian|christian|muslim|jewish)$`)
)

// findLabel finds the label's column, and the values that count as 1.
func (d *drafter) findLabel() error {
	two := func(c *column) bool {
		return len(c.texts) == 2 && !c.many && c.hot == nil && strings.TrimSpace(c.name) != ""
	}
	columns := d.table.columns
	why := "given"
	switch {
	case d.Label != "":
		at := slices.IndexFunc(columns, func(c *column) bool { return c.name == d.Label })
		if at < 0 {
			var names []string
			for _, c := range columns {
				names = append(names, c.name)
			}
			what := ""
			if len(columns) == 1 {
				what = ", the only one: cells are to be separated by a comma, a semicolon, a tab or a bar"
			} else if !d.table.header && d.Columns == nil {
				what = ", since the file seems to begin without names: give them with --columns"
			}
			return fmt.Errorf("--label %s: no such column; there are %s%s", d.Label, view.OneLine(strings.Join(names, ", ")), what)
		}
		d.label = columns[at]
	default:
		var called []*column
		for _, c := range columns {
			if two(c) && labelNames.MatchString(c.name) {
				called = append(called, c)
			}
		}
		last := columns[len(columns)-1]
		switch {
		case two(last):
			d.label, why = last, "likely: the last column, with two values"
			if slices.Contains(called, last) {
				why = "likely: its name, two values, and the last column"
			}
		case len(called) > 0:
			d.label, why = called[len(called)-1], "likely: its name, and two values"
		case two(columns[0]) && len(columns) > 1:
			d.label, why = columns[0], "guess: the first column, with two values"
		default:
			d.out.Doubts = append(d.out.Doubts, "no column looks like a label: name it with --label")
			return nil
		}
	}
	d.labels = []string{why}
	d.out.Label = d.label.name
	c := d.label
	switch {
	case len(d.Positive) > 0:
		for _, p := range d.Positive {
			if !slices.Contains(c.texts, p) {
				return fmt.Errorf("--positive %s: no row has this value of %s; want one of %s", p, c.name, strings.Join(c.texts[:min(len(c.texts), 20)], ", "))
			}
		}
		d.out.Positive = d.Positive
		d.labels = append(d.labels, "given: what counts as 1")
	case d.info.Linear && !two(c) && c.numeric && !c.dated:
		d.predict(c)
		return nil
	case !two(c):
		return fmt.Errorf("the label %s has %d values (%s); say which count as 1 with --positive", c.name, len(c.texts), quoted(c.texts, mostQuoted))
	default:
		d.out.Positive = []string{d.positive(c)}
	}
	d.truth.labels = make([]bool, d.table.rows)
	for i := range d.truth.labels {
		d.truth.labels[i] = slices.Contains(d.out.Positive, c.text(i))
	}
	return nil
}

// predict takes a column's numbers as what the model predicts, and a twentieth of their range,
// to one digit, as ε.
func (d *drafter) predict(c *column) {
	d.truth.numbers = c.numbers
	least, most := math.Inf(1), math.Inf(-1)
	for _, v := range c.numbers {
		if v == v {
			least, most = min(least, v), max(most, v)
		}
	}
	step, err := strconv.ParseFloat(strconv.FormatFloat((most-least)/20, 'g', 1, 64), 64)
	if err == nil && step > 0 && d.model.Link() != fairness.LinkShare {
		d.out.Epsilon = &step
	}
}

// positive returns the one of the column's two values that likely counts as 1.
func (d *drafter) positive(c *column) string {
	for k, text := range c.texts {
		if yes.MatchString(text) && !yes.MatchString(c.texts[1-k]) || no.MatchString(c.texts[1-k]) && !no.MatchString(text) {
			d.labels = append(d.labels, fmt.Sprintf("likely: %q counts as 1, by its meaning", text))
			return text
		}
	}
	d.truth.free = true
	a, b := c.texts[0], c.texts[1]
	x, err1 := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	if later := b > a; err1 == nil && err2 == nil && y < x || (err1 != nil || err2 != nil) && !later {
		b = a
	}
	d.labels = append(d.labels, fmt.Sprintf("guess: %q counts as 1, as the later value in order", b))
	return b
}

// face compares the label with the model. If the scores are lower for the value that counts as
// 1, the other value becomes positive, unless --positive was given.
func (d *drafter) face() {
	if d.model == nil || d.truth.labels == nil {
		return
	}
	a, t := d.chosen, truth{labels: d.truth.labels, free: true}
	if s, _ := a.space(); s.Inputs != d.model.Inputs() {
		return
	}
	a.judge(d.model, t, 3000)
	switch {
	case !a.fit.flipped || !d.truth.free && !a.tells(t):
	case d.Positive != nil:
		d.out.Doubts = append(d.out.Doubts, fmt.Sprintf("the model's scores are the lower for %s = %s, which --positive counts as 1", d.label.name, strings.Join(d.Positive, " or ")))
	default:
		if !d.truth.free && d.Inputs == "" && d.Scores == "" && strings.HasPrefix(d.out.Inputs, "guess") {
			d.out.Doubts = append(d.out.Doubts, fmt.Sprintf("the model's scores are the lower for %s = %s, which by its meaning counts as 1: the model may get other inputs; --positive says what counts as 1", d.label.name, strings.Join(d.out.Positive, " or ")))
		}
		d.flip()
	}
}

// flip makes the other value count as 1.
func (d *drafter) flip() {
	for _, text := range d.label.texts {
		if text != d.out.Positive[0] {
			d.out.Positive = []string{text}
			d.labels = append(d.labels[:1], fmt.Sprintf("likely: %q counts as 1, since the model's scores are higher for it", text))
			break
		}
	}
	for i := range d.truth.labels {
		d.truth.labels[i] = !d.truth.labels[i]
	}
}

// candidates finds columns that look protected.
func (d *drafter) candidates() {
	d.out.Protected = slices.Clip(append(d.out.Protected, d.Protected...))
	for _, f := range d.chosen.features {
		told := 0
		for _, text := range f.from.texts {
			if protectedValues.MatchString(text) {
				told++
			}
		}
		if (protectedNames.MatchString(f.Name) || told >= 2 || told > 0 && len(f.from.texts) <= 3) && !slices.Contains(d.Protected, f.Name) {
			d.out.Candidates = append(d.out.Candidates, f.Name)
		}
	}
}
