package fairness_test

import (
	"fmt"
	"math/big"

	"github.com/hyfair/hyfair/sdk/fairness"
)

func Example() {
	eps, err := fairness.ParseEpsilon("0.05", fairness.Score)
	if err != nil {
		fmt.Println(err)
		return
	}
	logits := []*big.Rat{big.NewRat(-1, 1), big.NewRat(1, 1)} // of two copies
	lo, hi := fairness.Score.Gap(logits)
	fmt.Printf("gap %.4f to %.4f, violates %v, bins %d\n", lo, hi, fairness.Score.Violates(logits, eps), fairness.Bins(eps))
	// Output: gap 0.4621 to 0.4621, violates true, bins 20
}
