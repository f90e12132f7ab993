package people

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Number parses a cell as a number. A nil Format has a decimal point and no thousands separator.
func (f *Format) Number(cell string) (float64, bool) {
	text, ok := cell, true
	if f != nil && (f.Decimal == ',' || f.Thousands != 0) {
		text, ok = f.plain(cell)
	}
	x, err := strconv.ParseFloat(text, 64)
	return x + 0, ok && err == nil && !math.IsNaN(x) && !math.IsInf(x, 0) // +0 turns −0 into 0
}

// plain rewrites a number with a decimal point and without thousands separators, which must separate groups
// of three digits.
func (f *Format) plain(cell string) (string, bool) {
	point := "."
	if f.Decimal != 0 {
		point = string(f.Decimal)
	}
	whole, decimals, some := strings.Cut(cell, point)
	if f.Thousands != 0 {
		digits := strings.TrimLeft(whole, "+-")
		groups := strings.Split(strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Zs, r) {
				return ' '
			}
			return r
		}, digits), string(f.Thousands))
		for i, g := range groups {
			if len(groups) > 1 && (len(g) > 3 || len(g) < 1 || i > 0 && len(g) < 3) {
				return "", false
			}
		}
		whole = whole[:len(whole)-len(digits)] + strings.Join(groups, "")
	}
	if strings.ContainsAny(whole+decimals, ".,_") {
		return "", false
	}
	if some {
		whole += "."
	}
	return whole + decimals, true
}

// hint names the study keys with which a text that is not a number would be one.
func (f *Format) hint(text string) string {
	if other := NotationOf(text); f != nil && other != nil {
		return "; to read it as a number, add " + other.Notation() + " to data: in the study"
	}
	return ""
}

// NotationOf is the first of Notations in which the text is a number; nil if there is none.
func NotationOf(text string) *Format {
	at := slices.IndexFunc(Notations, func(f Format) bool { _, ok := f.Number(text); return ok })
	if at < 0 {
		return nil
	}
	return &Notations[at]
}

// Notation returns the number format as keys of a study; "" for a plain decimal point.
func (f *Format) Notation() string {
	var keys []string
	if f.Decimal != 0 {
		keys = append(keys, "decimal: "+strconv.Quote(string(f.Decimal)))
	}
	if f.Thousands != 0 {
		keys = append(keys, "thousands: "+strconv.Quote(string(f.Thousands)))
	}
	return strings.Join(keys, ", ")
}

// Notations are the number formats of spreadsheets besides the plain decimal point; each Format sets only these
// fields.
var Notations = slices.Clip([]Format{
	{Decimal: ','}, {Decimal: ',', Thousands: '.'}, {Thousands: ','}, {Decimal: ',', Thousands: ' '}, {Thousands: ' '}, {Thousands: '\''}, {Thousands: '’'},
})
