package certificate

import (
	"fmt"
	"math/big"
	"strings"
)

// maxNumber bounds the text of an exact number: reading decimals takes more
// than linear time.
const maxNumber = 4096

// parseNumber reads "-12", "0.05" or "22/7" and nothing else that big.Rat
// would accept: exponents would let a short text ask for gigabytes.
func parseNumber(text string) (*big.Rat, error) {
	if len(text) > maxNumber {
		return nil, fmt.Errorf("the number has %d characters; at most %d are allowed", len(text), maxNumber)
	}
	digits := func(part string) bool {
		return part != "" && strings.Trim(part, "0123456789") == ""
	}
	body := strings.TrimPrefix(text, "-")
	whole, fraction, decimal := strings.Cut(body, ".")
	num, den, quotient := strings.Cut(body, "/")
	switch {
	case decimal && digits(whole) && digits(fraction):
	case quotient && digits(num) && digits(den) && strings.Trim(den, "0") != "":
	case digits(body):
	default:
		return nil, fmt.Errorf("%.40q is neither a decimal nor a fraction", text)
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return nil, fmt.Errorf("%.40q is neither a decimal nor a fraction", text)
	}
	return r, nil
}
