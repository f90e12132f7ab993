package notion

// Requirement is a condition on the larger and the smaller of two copies' logits: they are beyond all tangents of Both.
// Alone holds the tangents of the larger logit by itself, then those of the smaller one.
type Requirement struct {
	Both  []Tangent
	Alone [2][]Tangent
}

// require returns the requirement that the larger logit exceeds up and the negative of the smaller
// exceeds down.
func require(up, down float64) Requirement {
	both := []Tangent{{Up: 1, Beyond: up}, {Down: 1, Beyond: down}}
	return Requirement{both, [2][]Tangent{both[:1], both[1:]}}
}

// aboutZero treats a logit of 0 as one of either sign.
const aboutZero = 0x1p-40

// OppositeSigns returns the requirement of two different decisions.
func OppositeSigns() Requirement {
	return require(-aboutZero, -aboutZero)
}

// LargerGaps returns the requirements of score gaps above v; nil if no tangents are
// known.
func LargerGaps(v float64) []Requirement {
	both := Tangents(v, nil)
	if len(both) == 0 {
		return nil
	}
	r := require(Alone(v), Alone(v))
	r.Both = both
	return []Requirement{r}
}

// MoreBins returns the requirements of more than k bins: for each bin a, one logit below its upper edge, and one at or
// above the lower edge of bin a + k.
func (b *Bins) MoreBins(k int) (out []Requirement) {
	for a := 0; k >= 1 && a+k <= len(b.above); a++ {
		out = append(out, require(b.below[a+k-1], -b.above[a]))
	}
	return out
}
