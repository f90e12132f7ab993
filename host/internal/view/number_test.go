package view

import (
	"math"
	"math/big"
	"testing"
)

func TestNumbers(t *testing.T) {
	v := func(v float64) *float64 { return &v }
	huge, _ := new(big.Int).SetString("123456789012345678901234", 10)
	for _, c := range []struct{ got, want string }{
		{Count(0), "0"}, {Count(999), "999"}, {Count(int64(1234567)), "1,234,567"},
		{BigCount(big.NewInt(45222)), "45,222"}, {BigCount(huge), "about 1.23·10²³"}, {Scientific(6.54e-8, 2), "6.5·10⁻⁸"}, {Scientific(3, 1), "3·10⁰"}, {Scientific(math.Inf(1), 2), "+Inf"},
		{Number(nil, 2), "N/A"}, {Number(v(2), 2), "2.00"},
		{MeanSD(nil, nil, 1), "N/A"}, {MeanSD(v(2), nil, 1), "2.0"}, {MeanSD(v(2), v(0.25), 2), "2.00 ± 0.25"},
		{Measure(nil), "N/A"}, {Measure(v(3)), "3"}, {Measure(v(0.5)), "0.500"},
		{Exact(nil), ""}, {Exact(v(0.1)), "0.1"}, {Exact(v(1e300)), "1e+300"},
		{Score(0.5), "0.5000"}, {Seconds(12.34), "12.3 s"}, {Percent(0.125, 1), "12.5 %"},
		{ShareOrDash(nil), "-"}, {ShareOrDash(v(0)), "0.00 %"}, {Share(1e-9), "<0.01 %"}, {Share(0.9999999), ">99.99 %"}, {Share(1), "100.00 %"},
		{SmallShare(0), "0 %"}, {SmallShare(0.00123), "0.12 %"}, {SmallShare(0.5), "50.0 %"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}
