package people

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Number reads a cell as a number. A nil Format has decimal points and nothing between thousands.
func (f *Format) Number(cell string) (float64, bool) {
	text, ok := cell, true
	if f != nil && (f.Decimal == ',' || f.Thousands != 0) {
		text, ok = f.plain(cell)
	}
	x, err := strconv.ParseFloat(text, 64)
	return x + 0, ok && err == nil && !math.IsNaN(x) && !math.IsInf(x, 0) // +0 turns −0 into 0
}

// plain is a number with a decimal point and nothing between its thousands, which are groups of three digits.
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

// hint says which keys of a study would make a number of a text that is none.
func (f *Format) hint(text string) string {
	if f == nil {
		return ""
	}
	for _, other := range Notations {
		if _, ok := other.Number(text); ok {
			return "; is it written " + other.notation() + "? Say so under data:"
		}
	}
	return ""
}

func (f *Format) notation() string {
	var keys []string
	if f.Decimal != 0 {
		keys = append(keys, "decimal: "+strconv.Quote(string(f.Decimal)))
	}
	if f.Thousands != 0 {
		keys = append(keys, "thousands: "+strconv.Quote(string(f.Thousands)))
	}
	return strings.Join(keys, ", ")
}

// Notations are the ways in which spreadsheets write numbers besides that with a decimal point alone, each with a
// Format that has nothing else.
var Notations = slices.Clip([]Format{
	{Decimal: ','}, {Decimal: ',', Thousands: '.'}, {Thousands: ','}, {Decimal: ',', Thousands: ' '}, {Thousands: ' '}, {Thousands: '\''}, {Thousands: '’'},
})
