package notion

// Requirement is what two copies' logits must be beyond: all tangents of Both. Alone tells of each of the two by itself.
type Requirement struct {
	Both  []Tangent
	Alone [2][]Tangent
}

// Require is what needs both of two tangents, of one copy each.
func Require(both []Tangent) Requirement {
	return Requirement{both, [2][]Tangent{both[:1], both[1:]}}
}

// aboutZero makes a logit of 0 one of either sign.
const aboutZero = 0x1p-40

// OppositeSigns is what two decisions require.
func OppositeSigns() Requirement {
	return Require([]Tangent{{Up: 1, Beyond: -aboutZero}, {Down: 1, Beyond: -aboutZero}})
}

// LargerGaps appends what score gaps above v require; nothing where no tangents are known.
func LargerGaps(v float64, out []Requirement) []Requirement {
	both := Tangents(v, nil)
	if len(both) == 0 {
		return out
	}
	alone := Alone(v)
	r := Require([]Tangent{{Up: 1, Beyond: alone}, {Down: 1, Beyond: alone}})
	r.Both = both
	return append(out, r)
}

// MoreBins appends what more than k bins require: for each bin a a logit below its upper edge, and one at or above the lower edge of bin a + k.
func (b *Bins) MoreBins(k int, out []Requirement) []Requirement {
	for a := 0; k >= 1 && a+k <= len(b.above); a++ {
		out = append(out, Require([]Tangent{{Up: 1, Beyond: b.below[a+k-1]}, {Down: 1, Beyond: -b.above[a]}}))
	}
	return out
}
