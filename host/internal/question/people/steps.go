package people

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"time"
)

// Step is one step of an encoding. Exactly one field is set.
type Step struct {
	// Map replaces texts. A text not listed becomes what the key "*" says, or
	// without that key stays as it is.
	Map map[string]string
	// Round rounds to the nearest integer, halves to the even one.
	Round bool
	// Threshold gives 1 for values from it on and 0 below.
	Threshold *float64
	// Bins gives the index of an equal-width bin.
	Bins *Bins
	// Since gives the days from it to a date: see Days.
	Since *time.Time
}

// Days is how many days a date lies after since, which is midnight of a day in UTC. Dates are written as
// 2024-02-29, alone or before a time of day (2024-02-29T13:45:00, a blank for the T), which is left out.
func Days(date string, since time.Time) (days float64, ok bool) {
	day, rest := date, ""
	if len(date) > len(time.DateOnly) {
		day, rest = date[:len(time.DateOnly)], date[len(time.DateOnly):]
	}
	if rest != "" && !timeOfDay.MatchString(rest) {
		return 0, false
	}
	t, err := time.Parse(time.DateOnly, day)
	return float64((t.Unix() - since.Unix()) / (24 * 60 * 60)), err == nil
}

var timeOfDay = regexp.MustCompile(`^[T ]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?Z?$`)

// Bins cuts Min to Max into Count bins of equal width, numbered from 0. A
// value on an edge belongs to the bin above it, Max to the last one. Values
// outside fall into bins that do not exist: below 0, or Count and above.
type Bins struct {
	Count int
	// Min and Max are read off the kept rows where Fit is set.
	Min, Max float64
	Fit      bool
}

// Other is the key of Step.Map for every text not listed.
const Other = "*"

// value is a cell on its way through the steps: a text until a step makes it
// a number.
type value struct {
	text     string
	format   *Format // that the text is written in; nil for one of the study's own
	number   float64
	isNumber bool
}

func (v *value) asNumber() error {
	if v.isNumber {
		return nil
	}
	x, ok := v.format.Number(v.text)
	if !ok {
		return fmt.Errorf("%s is not a number%s", quote(v.text), v.format.hint(v.text))
	}
	v.number, v.isNumber = x, true
	return nil
}

func (v *value) asText() string {
	if v.isNumber {
		return strconv.FormatFloat(v.number, 'g', -1, 64)
	}
	return v.text
}

// errUnfitted is a programming fault: bins used before their ends are known.
var errUnfitted = errors.New("the ends of the bins are not known yet")

func (s *Step) apply(v *value) error {
	if s.Map != nil {
		v.replace(s.Map)
		return nil
	}
	if s.Since != nil && !v.isNumber {
		days, ok := Days(v.text, *s.Since)
		if !ok {
			return fmt.Errorf("%s is no date such as 2024-02-29", quote(v.text))
		}
		v.number, v.isNumber = days, true
		return nil
	}
	if err := v.asNumber(); err != nil {
		return err
	}
	switch {
	case s.Round:
		v.number = math.RoundToEven(v.number) + 0
	case s.Threshold != nil:
		if v.number >= *s.Threshold {
			v.number = 1
		} else {
			v.number = 0
		}
	case s.Bins != nil:
		if s.Bins.Fit {
			return errUnfitted
		}
		v.number = s.Bins.index(v.number)
	}
	return nil
}

func (v *value) replace(m map[string]string) {
	text := v.asText()
	to, ok := m[text]
	if !ok {
		to, ok = m[Other]
	}
	if ok {
		*v = value{text: to}
	}
}

// index is exact for integers below 2^53/Count: there the quotient's rounding
// cannot cross an integer.
func (b *Bins) index(x float64) float64 {
	if x == b.Max {
		return float64(b.Count - 1)
	}
	return math.Floor((x - b.Min) * float64(b.Count) / (b.Max - b.Min))
}

// quote shows a cell in a message, shortened.
func quote(text string) string {
	const longest = 60
	if len(text) > longest {
		return strconv.Quote(text[:longest]) + "…"
	}
	return strconv.Quote(text)
}
