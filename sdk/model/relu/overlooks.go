package relu

// Overlooks reports that some neuron, or the logit, has no way through weights other
// than 0 from the inputs for which from is set. In a network without such a neuron, points
// that differ in those inputs have the same logit all over a box only where a whole layer
// is inactive.
func (n *Network) Overlooks(from []bool) bool {
	seen := from
	for k := range n.Layers {
		l := &n.Layers[k]
		head := k == len(n.Layers)-1 && n.Head == HeadSoftmax // of which the difference counts
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
