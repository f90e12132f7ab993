package simd_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/internal/simd"
)

type variant string

func (v variant) Name() string { return string(v) }

// Variants for another machine are left out, the fastest is chosen, and the environment
// can choose another.
func TestChoose(t *testing.T) {
	t.Setenv(simd.Variable, "")
	all := []variant{"scalar", "neon512", "avx2", "avx512"}
	supported := simd.Supported(all)
	if slices.Contains(supported, "neon512") || supported[len(supported)-1] != "scalar" || len(supported) != len(simd.Kernels()) {
		t.Errorf("supported are %v of the kernels %v", supported, simd.Kernels())
	}
	if got, err := simd.Choose(all); err != nil || got != supported[0] {
		t.Errorf("%q, %v; want the fastest, %q", got, err, supported[0])
	}
	t.Setenv(simd.Variable, "scalar")
	if got, err := simd.Choose(all); err != nil || got != "scalar" {
		t.Errorf("%q, %v; want scalar", got, err)
	}
	if got := simd.Named(all, "scalar"); got != "scalar" {
		t.Errorf("%q is named scalar", got)
	}
	if got := simd.Named(all, "neon512"); got != supported[0] {
		t.Errorf("%q in place of one that is not there; want the fastest, %q", got, supported[0])
	}
	if err := simd.Check(); err != nil {
		t.Error(err)
	}
	t.Setenv(simd.Variable, "neon512")
	if simd.Check() == nil {
		t.Error("a kernel that is not there passes")
	}
	if _, err := simd.Choose(all); err == nil || !strings.Contains(err.Error(), "HYFAIR_SIMD=neon512: this machine has") {
		t.Errorf("error %v", err)
	}
}
