package view

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
)

// NA is shown for a missing number.
const NA = "N/A"

// Count writes a count with a comma between thousands.
func Count[T ~int | ~int64](n T) string { return humanize.Comma(int64(n)) }

// BigCount formats a count; one with too many digits to read gets an exponent.
func BigCount(n *big.Int) string {
	if n.IsInt64() && n.Int64() < 1e15 {
		return Count(n.Int64())
	}
	f, _ := new(big.Float).SetInt(n).Float64()
	return "about " + Scientific(f, 3)
}

// Scientific is a number with this many digits times a power of ten, such as 4.56·10¹⁶.
func Scientific(v float64, digits int) string {
	text := strconv.FormatFloat(v, 'e', digits-1, 64)
	mantissa, exponent, ok := strings.Cut(text, "e")
	if !ok { // infinite
		return text
	}
	exponent = strings.TrimPrefix(exponent, "+")
	sign := strings.HasPrefix(exponent, "-")
	exponent = strings.TrimLeft(exponent, "-0")
	if sign && exponent != "" {
		exponent = "-" + exponent
	}
	return mantissa + "·10" + superscript.Replace(cmp.Or(exponent, "0"))
}

var superscript = strings.NewReplacer("-", "⁻", "0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹")

// Number formats a value with the given number of decimals.
func Number(v *float64, decimals int) string {
	if v == nil {
		return NA
	}
	return strconv.FormatFloat(*v, 'f', decimals, 64)
}

// MeanSD formats a mean and, if it is known, its standard deviation.
func MeanSD(mean, sd *float64, decimals int) string {
	if sd == nil {
		return Number(mean, decimals)
	}
	return Number(mean, decimals) + " ± " + Number(sd, decimals)
}

// Measure formats a whole number without decimals, another with three.
func Measure(v *float64) string {
	if v != nil && *v == math.Trunc(*v) {
		return Number(v, 0)
	}
	return Number(v, 3)
}

// Exact formats a number for programs, exact to the last bit; empty for nil.
func Exact(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'g', -1, 64)
}

// Outcomes formats the number of different outcomes.
func Outcomes(k int) string {
	if k == 1 {
		return "one outcome"
	}
	return fmt.Sprintf("%d different outcomes", k)
}

// Score formats a score, or the gap between two.
func Score(v float64) string { return Number(&v, 4) }

// Seconds formats a time in seconds.
func Seconds(v float64) string { return Number(&v, 1) + " s" }

// Percent formats a share in per cent with the given number of decimals.
func Percent(share float64, decimals int) string {
	share *= 100
	return Number(&share, decimals) + " %"
}

// Share formats a share. Only 1 becomes 100 %, and only 0 becomes 0 %.
func Share(share float64) string {
	text := Percent(share, 2)
	switch {
	case share > 0 && text == "0.00 %":
		return "<0.01 %"
	case share < 1 && text == "100.00 %":
		return ">99.99 %"
	}
	return text
}

// ShareOrDash formats a share; nil becomes a dash.
func ShareOrDash(share *float64) string {
	if share == nil {
		return "-"
	}
	return Share(*share)
}

// SmallShare formats a share, with two significant digits if it is below a tenth.
func SmallShare(share float64) string {
	switch {
	case share == 0:
		return "0 %"
	case share >= 0.1:
		return Percent(share, 1)
	}
	return fmt.Sprintf("%.2g %%", 100*share)
}
