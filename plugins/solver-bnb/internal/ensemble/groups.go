package ensemble

import (
	"cmp"
	"math/bits"
	"slices"
)

// division divides features into groups, and their places into cells. No branch separates the places of a cell.
type division struct {
	cell   [][]int32   // by feature and place
	shares [][]float64 // by feature and cell
	ties   []float64   // by pair of dimensions: how much their interactions vary
	groups []group
}

// group is a set of features with the conditional means by their cells, of trees within the group and of others.
type group struct {
	features      []int32
	strides       []int
	compared      uint64
	cells         int
	within, joint []effect
	base          [2]effect // what is subtracted from all within and from all joint
	added, terms  float64   // the number of differences added to within and joint, and the sum of their magnitudes
}

// divide divides the features that are compared into groups: it joins those whose interactions vary most, as long as a
// group has at most groupCells cells.
func (c *Moments) divide() {
	compared := uint64(0)
	for f, d := range c.dim {
		if d >= 0 {
			clear(c.cell[f][c.least[f] : c.most[f]+2])
		}
	}
	for i := range c.branches {
		if b := &c.branches[i]; b.feature >= 0 {
			c.cell[b.feature][b.cut+1] = 1
			compared |= 1 << c.dim[b.feature]
		}
	}
	clear(c.ties)
	for _, t := range c.trees {
		c.tie(t.root, 1, 0)
	}
	n := len(c.grid.Dims)
	var pairs []int
	of := make([]int, n) // by dimension
	c.groups = c.groups[:0]
	for d := range n {
		if compared>>d&1 == 0 {
			continue
		}
		f := int32(c.grid.Dims[d].Feature)
		of[d] = len(c.groups)
		c.groups = append(c.groups, group{features: []int32{f}, compared: 1 << d, cells: c.number(f)})
		for e := range d {
			if c.ties[d*n+e] > 0 {
				pairs = append(pairs, d*n+e)
			}
		}
	}
	slices.SortFunc(pairs, func(x, y int) int { return cmp.Compare(c.ties[y], c.ties[x]) })
	for _, pair := range pairs {
		one, two := &c.groups[of[pair/n]], &c.groups[of[pair%n]]
		if one == two || one.cells*two.cells > groupCells || len(one.features)+len(two.features) > groupFeatures {
			continue
		}
		for rest := two.compared; rest != 0; rest &= rest - 1 {
			of[bits.TrailingZeros64(rest)] = of[pair/n]
		}
		one.features, one.compared, one.cells = append(one.features, two.features...), one.compared|two.compared, one.cells*two.cells
		two.compared = 0
	}
	c.groups = slices.DeleteFunc(c.groups, func(g group) bool { return g.compared == 0 })
	for i := range c.groups {
		g := &c.groups[i]
		g.within, g.joint = make([]effect, g.cells), make([]effect, g.cells)
		stride := 1
		for _, f := range g.features {
			g.strides = append(g.strides, stride)
			stride *= len(c.shares[f])
		}
	}
}

// number numbers the cells of a feature, whose first places but the least are marked by 1, and returns how many there are.
func (c *Moments) number(f int32) int {
	c.shares[f] = c.shares[f][:0]
	last := int32(-1)
	for p := c.least[f]; p <= c.most[f]; p++ {
		if p == c.least[f] || c.cell[f][p] == 1 {
			last++
			c.shares[f] = append(c.shares[f], 0)
		}
		c.cell[f][p] = last
		c.shares[f][last] += c.share(f, p, p)
	}
	return int(last) + 1
}

// tie adds how much the branches at and below one vary to the ties of their features with those compared on the path.
func (c *Moments) tie(at int32, share float64, path uint64) {
	b := &c.branches[at]
	if b.feature < 0 {
		return
	}
	d := c.dim[b.feature]
	one, two := c.branches[at+1].mean, c.branches[b.right].mean
	by := share * b.left * (1 - b.left) * ((one.m-two.m)*(one.m-two.m) + (one.h-two.h)*(one.h-two.h))
	for rest := path &^ (1 << d); rest != 0; rest &= rest - 1 {
		e := bits.TrailingZeros64(rest)
		c.ties[max(d, e)*len(c.grid.Dims)+min(d, e)] += by
	}
	c.tie(at+1, share*b.left, path|1<<d)
	c.tie(b.right, share*(1-b.left), path|1<<d)
}

// alone reports whether a tree compares features of one group only.
func (c *division) alone(t *reduced) bool {
	return slices.ContainsFunc(c.groups, func(g group) bool { return t.compared&^g.compared == 0 })
}

// shareOf returns the share of the box in a cell of a group.
func (c *division) shareOf(g *group, cell int) float64 {
	w := 1.0
	for _, f := range g.features {
		n := len(c.shares[f])
		w *= c.shares[f][cell%n]
		cell /= n
	}
	return w
}

// sum turns differences from cell to cell into conditional means.
func (c *division) sum(g *group, of []effect, base effect) {
	for j, f := range g.features {
		n, stride := len(c.shares[f]), g.strides[j]
		for k := stride; k < len(of); k++ {
			if k/stride%n > 0 {
				of[k].add(1, of[k-stride])
			}
		}
	}
	for k := range of {
		of[k].add(-1, base)
	}
}
