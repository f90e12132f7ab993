package nearest

import "math/bits"

// signer packs the categories of a row into a few words, its signature, so that
// counting the categories in which two rows differ takes a few instructions per
// word. Each feature has a lane of the bits that it needs.
type signer struct {
	lanes []lane
	words int
	// By word: high has the highest bit of every lane, low all other bits of lanes.
	low, high []uint64
}

// lane is one feature's place in the signature.
type lane struct {
	feature int
	word    int
	shift   uint
	// codes numbers the categories that occur, from 1; 0 stands for any other.
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

// differing counts the categories in which the signatures at the start of a and b
// differ.
func (s *signer) differing(a, b []uint64) (n int) {
	for w := range s.words {
		n += bits.OnesCount64(s.unequal(w, a[w]^b[w]))
	}
	return n
}

// unequal sets the highest bit of every lane in which x is not zero: adding the
// lane's low bits carries into that bit if any low bit of x is set.
func (s *signer) unequal(w int, x uint64) uint64 {
	return (x&s.low[w] + s.low[w] | x) & s.high[w]
}

// levels compares each of n signatures with a single one, the argument from. It
// returns the numbers of categories that differ, each cut off at farLevel.
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
