package nearest

import "math/bits"

// signer packs the categories of a row into few words, its signature, so that
// the number of categories in which two rows differ takes a few instructions a
// word. Each feature has a lane of just as many bits as it needs.
type signer struct {
	lanes []lane
	words int
	// low are the bits of all lanes but their highest, high the highest, by word.
	low, high []uint64
}

// lane is one feature's place in the signature.
type lane struct {
	feature int
	word    int
	shift   uint
	// codes numbers the categories that occur from 1; 0 is one that does not.
	codes map[float64]uint64
}

func newSigner(rows [][]float64, features []int) signer {
	var s signer
	used := uint(64)
	for _, f := range features {
		codes := map[float64]uint64{}
		for _, row := range rows {
			if codes[row[f]] == 0 {
				codes[row[f]] = uint64(len(codes) + 1)
			}
		}
		width := uint(bits.Len(uint(len(codes))))
		if width == 0 { // no rows
			continue
		}
		if used+width > 64 {
			s.low, s.high, used = append(s.low, 0), append(s.high, 0), 0
			s.words++
		}
		w := s.words - 1
		s.lanes = append(s.lanes, lane{f, w, used, codes})
		used += width
		s.high[w] |= 1 << (used - 1)
		s.low[w] |= 1<<(used-1) - 1<<(used-width)
	}
	return s
}

// append appends a row's signature.
func (s *signer) append(dst []uint64, row []float64) []uint64 {
	from := len(dst)
	for range s.words {
		dst = append(dst, 0)
	}
	for i := range s.lanes {
		l := &s.lanes[i]
		dst[from+l.word] |= l.codes[row[l.feature]] << l.shift
	}
	return dst
}

// differing is the number of categories in which a and b, of which the first
// words count, differ.
func (s *signer) differing(a, b []uint64) (n int) {
	for w := range s.words {
		n += bits.OnesCount64(s.unequal(w, a[w]^b[w]))
	}
	return n
}

// unequal has the highest bit of every lane in which x is not zero: adding the
// lane's low bits carries into it where any low bit of x is set.
func (s *signer) unequal(w int, x uint64) uint64 {
	return (x&s.low[w] + s.low[w] | x) & s.high[w]
}

// levels counts the differing categories of each of n signatures from one,
// farLevel standing for that many or more.
func (s *signer) levels(signatures, from []uint64, n int) []byte {
	out := make([]byte, n)
	if s.words == 1 {
		for i, signature := range signatures {
			out[i] = byte(bits.OnesCount64(s.unequal(0, signature^from[0])))
		}
		return out
	}
	for i := range out {
		out[i] = byte(min(s.differing(signatures[i*s.words:], from), farLevel))
	}
	return out
}
