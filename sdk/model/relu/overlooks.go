package relu

// Overlooks reports whether nonzero weights fail to connect some neuron, or the logit, to
// the inputs i with from[i] set. If all neurons are connected, points that differ in
// those inputs have the same logit all over a box only if an entire layer is inactive.
func (n *Network) Overlooks(from []bool) bool {
	seen := from
	for k := range n.Layers {
		l := &n.Layers[k]
		head := k == len(n.Layers)-1 && n.Head == HeadSoftmax // the difference of its outputs counts
		next := make([]bool, l.Out)
		for j := range next {
			for i, w := range l.Row(j) {
				next[j] = next[j] || seen[i] && (w != 0 && !head || head && l.Row(0)[i] != l.Row(1)[i])
			}
			if !next[j] {
				return true
			}
		}
		seen = next
	}
	return false
}
