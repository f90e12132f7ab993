package evaluate

import "math/bits"

// entropyBits is the number of binary digits of stored logarithms after the point:
// a sum over space.MaxCombinations counterfactuals still fits an int64.
const entropyBits = 36

// entropies turns counts into entropies. Sums are of integers, so the result depends neither on
// their order nor on the machine's floating point.
type entropies struct {
	logs []int64 // log₂ n
	sums []int64 // n·log₂ n, both in units of 2^−entropyBits; n = 0 is 0
}

// newEntropies prepares the entropies of distributions of up to count counterfactuals.
func newEntropies(count int) entropies {
	t := entropies{logs: make([]int64, count+1), sums: make([]int64, count+1)}
	for n := 1; n <= count; n++ {
		log := log2(uint64(n))
		t.logs[n] = int64((log + 1<<(log2Bits-entropyBits-1)) >> (log2Bits - entropyBits))
		hi, lo := bits.Mul64(log, uint64(n))
		lo, carry := bits.Add64(lo, 1<<(log2Bits-entropyBits-1), 0)
		t.sums[n] = int64((hi+carry)<<(64-log2Bits+entropyBits) | lo>>(log2Bits-entropyBits))
	}
	return t
}

// of returns −Σ pⱼ·log₂ pⱼ and −log₂ max pⱼ for pⱼ = nⱼ/n. The caller passes Σ t.sums[nⱼ]
// as sum, and max nⱼ as most.
func (t *entropies) of(n int, sum int64, most int) (shannon, least float64) {
	const unit = 1 << entropyBits
	// If all counts are powers of two, both are exact.
	return float64(t.sums[n]-sum) / (float64(n) * unit), float64(t.logs[n]-t.logs[most]) / unit
}

// log2Bits is the number of digits after the point of log2's result.
const log2Bits = 58

// log2 returns log₂ n for n ≥ 1 in units of 2^−log2Bits, at most a few units too
// small. It squares the mantissa 1 ≤ m < 2: if m² ≥ 2, the logarithm's next digit is
// 1. A rounding in step i changes the result by about 2^(−63−i), and all roundings
// together by less than two units.
func log2(n uint64) uint64 {
	shift := bits.LeadingZeros64(n)
	mantissa := n << shift // 1 ≤ mantissa/2⁶³ < 2
	log := uint64(63 - shift)
	for range log2Bits {
		log <<= 1
		hi, lo := bits.Mul64(mantissa, mantissa) // in units of 2⁻¹²⁶
		if hi>>63 != 0 {
			log |= 1
			mantissa = hi
		} else {
			mantissa = hi<<1 | lo>>63
		}
	}
	return log
}
