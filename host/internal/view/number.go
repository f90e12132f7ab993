package view

import (
	"fmt"
	"math"
	"math/big"
	"strconv"

	"github.com/dustin/go-humanize"
)

// NA stands where there is no number.
const NA = "N/A"

// Count writes a count with a comma between thousands.
func Count[T ~int | ~int64](n T) string { return humanize.Comma(int64(n)) }

// BigCount is a count that may have more digits than people read.
func BigCount(n *big.Int) string {
	if n.IsInt64() && n.Int64() < 1e15 {
		return Count(n.Int64())
	}
	f, _ := new(big.Float).SetInt(n).Float64()
	return fmt.Sprintf("%.3g", f)
}

// Number formats a value with the given number of decimals.
func Number(v *float64, decimals int) string {
	if v == nil {
		return NA
	}
	return strconv.FormatFloat(*v, 'f', decimals, 64)
}

// MeanSD is a mean and, where it is known, its standard deviation.
func MeanSD(mean, sd *float64, decimals int) string {
	if sd == nil {
		return Number(mean, decimals)
	}
	return Number(mean, decimals) + " ± " + Number(sd, decimals)
}

// Measure is a whole number, or has three decimals.
func Measure(v *float64) string {
	if v != nil && *v == math.Trunc(*v) {
		return Number(v, 0)
	}
	return Number(v, 3)
}

// Exact is a number for programs, to the last bit; empty where there is none.
func Exact(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'g', -1, 64)
}

// Outcomes says how many different outcomes there are.
func Outcomes(k int) string {
	if k == 1 {
		return "one outcome"
	}
	return fmt.Sprintf("%d different outcomes", k)
}

// Score is a score, or the gap between two.
func Score(v float64) string { return Number(&v, 4) }

// Seconds is a time.
func Seconds(v float64) string { return Number(&v, 1) + " s" }

// Percent formats a share in per cent with the given number of decimals.
func Percent(share float64, decimals int) string {
	share *= 100
	return Number(&share, decimals) + " %"
}

// Share is a share, of which 100 % and 0 % are only said where they are true.
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

// ShareOrDash is a share where there is one.
func ShareOrDash(share *float64) string {
	if share == nil {
		return "-"
	}
	return Share(*share)
}

// SmallShare is a share with two significant digits below a tenth.
func SmallShare(share float64) string {
	switch {
	case share == 0:
		return "0 %"
	case share >= 0.1:
		return Percent(share, 1)
	}
	return fmt.Sprintf("%.2g %%", 100*share)
}
