package notion

// Requirement is what two copies' logits must be beyond: all tangents of Both. Alone are those of each of the two by itself.
type Requirement struct {
	Both  []Tangent
	Alone [2][]Tangent
}

// require is a tangent of one copy and one of the other: up of the larger logit, down of the smaller.
func require(up, down float64) Requirement {
	both := []Tangent{{Up: 1, Beyond: up}, {Down: 1, Beyond: down}}
	return Requirement{both, [2][]Tangent{both[:1], both[1:]}}
}

// aboutZero makes a logit of 0 one of either sign.
const aboutZero = 0x1p-40

// OppositeSigns is what two decisions require.
func OppositeSigns() Requirement {
	return require(-aboutZero, -aboutZero)
}

// LargerGaps is what score gaps above v require; nil where no tangents are known.
func LargerGaps(v float64) []Requirement {
	both := Tangents(v, nil)
	if len(both) == 0 {
		return nil
	}
	r := require(Alone(v), Alone(v))
	r.Both = both
	return []Requirement{r}
}

// MoreBins is what more than k bins require: for each bin a a logit below its upper edge, and one at or above the lower edge of bin a + k.
func (b *Bins) MoreBins(k int) (out []Requirement) {
	for a := 0; k >= 1 && a+k <= len(b.above); a++ {
		out = append(out, require(b.below[a+k-1], -b.above[a]))
	}
	return out
}
