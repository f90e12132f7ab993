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
	// Map replaces texts. A text without an entry becomes the entry of the key Other, and is
	// unchanged without that entry.
	Map map[string]string
	// Round rounds to the nearest integer, halves to even.
	Round bool
	// Threshold replaces values by 1 if they are at or above it, else by 0.
	Threshold *float64
	// Bins replaces a value by the index of its bin.
	Bins *Bins
	// Since replaces a date by the number of days from Since: see Days.
	Since *time.Time
}

// Days is the number of days from since, midnight of a day in UTC, to a date. Dates are written as
// 2024-02-29, alone or before a time of day (2024-02-29T13:45:00, with T or a blank), which is ignored.
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

// Bins divides Min to Max into Count bins of equal width, numbered from 0. A value on an edge
// belongs to the bin above it, Max to the last one. A value outside gets an index below 0, or of at
// least Count.
type Bins struct {
	Count int
	// Min and Max come from the kept rows if Fit is set.
	Min, Max float64
	Fit      bool
}

// Other is the key of Step.Map for all texts without an entry.
const Other = "*"

// value is a cell between steps: a text until a step makes it a number.
type value struct {
	text     string
	format   *Format // format of the text; nil for a text from the study
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

// errUnfitted reports a programming error: bins were used before their ends were fitted.
var errUnfitted = errors.New("the ends of the bins are not known yet")

func (s *Step) apply(v *value) error {
	if s.Map != nil {
		v.replace(s.Map)
		return nil
	}
	if s.Since != nil && !v.isNumber {
		days, ok := Days(v.text, *s.Since)
		if !ok {
			return fmt.Errorf("%s is not a date such as 2024-02-29", quote(v.text))
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

// index is exact for integers below 2^53/Count: rounding the quotient cannot cross an
// integer.
func (b *Bins) index(x float64) float64 {
	if x == b.Max {
		return float64(b.Count - 1)
	}
	return math.Floor((x - b.Min) * float64(b.Count) / (b.Max - b.Min))
}

// quote shortens a cell for a message.
func quote(text string) string {
	const longest = 60
	if len(text) > longest {
		return strconv.Quote(text[:longest]) + "…"
	}
	return strconv.Quote(text)
}
