// Package simd chooses among the variants of a package's vector loops: the fastest that
// the machine can run, or the one that the environment asks for. The loops are in the
// packages that use it; all variants of a loop give the same results to the last bit.
package simd

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// Variable is the environment variable that asks for another variant than the
// fastest: one of Kernels.
const Variable = "HYFAIR_SIMD"

// Variant is one variant of a package's loops, with the name of a kernel.
type Variant interface{ Name() string }

// Supported lists the variants that this machine can run, the fastest first.
func Supported[V Variant](variants []V) []V {
	var out []V
	for _, kernel := range Kernels() {
		if i := slices.IndexFunc(variants, func(v V) bool { return v.Name() == kernel }); i >= 0 {
			out = append(out, variants[i])
		}
	}
	return out
}

// Check returns an error if the environment asks for a kernel that this machine does not
// have.
func Check() error {
	if name := os.Getenv(Variable); name != "" && !slices.Contains(Kernels(), name) {
		return fmt.Errorf("%s=%s: this machine has %s; set it to one of them, or unset it for the fastest", Variable, name, strings.Join(Kernels(), ", "))
	}
	return nil
}

// Choose returns the variant that the environment asks for, or the fastest. It returns
// Check's error if this machine does not have it.
func Choose[V Variant](variants []V) (V, error) {
	if err := Check(); err != nil {
		var none V
		return none, err
	}
	return Named(variants, os.Getenv(Variable)), nil
}

// Named returns the variant with the name, or the fastest if this machine lacks it.
func Named[V Variant](variants []V, name string) V {
	supported := Supported(variants)
	return supported[max(0, slices.IndexFunc(supported, func(v V) bool { return v.Name() == name }))]
}
