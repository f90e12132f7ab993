package mitigate

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/host/internal/answer/train"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/space"
)

// material is the training data: a study's rows and the individuals found so far.
type material struct {
	Retraining
	rule   fairness.Rule
	space  *space.Space
	region space.Region
	rows   [][]float64 // points
	labels []int
	found  []record.Found
}

// worst returns the individuals to train on, without duplicates: by largest k, then by
// largest gap.
func (m *material) worst() [][]float64 {
	sorted := slices.Clone(m.found)
	slices.SortStableFunc(sorted, func(a, b record.Found) int {
		return cmp.Or(cmp.Compare(b.K, a.K), cmp.Compare(b.Gap, a.Gap), slices.Compare(a.X, b.X))
	})
	sorted = slices.CompactFunc(sorted, func(a, b record.Found) bool { return slices.Equal(a.X, b.X) })
	out := make([][]float64, min(m.Augment, len(sorted)))
	for i := range out {
		out[i] = sorted[i].X
	}
	return out
}

// errNothingFound: no training data beyond the study's.
var errNothingFound = errors.New("the search of the original network found no individual that is treated differently: there is nothing to retrain on")

// retrained trains on the rows and all copies of the individuals found, which is the paper's way.
func (m *material) retrained(ctx context.Context, from *relu.Network, progress func(train.Epoch)) (*relu.Network, train.Report, error) {
	worst := m.worst()
	if len(worst) == 0 {
		return nil, train.Report{}, errNothingFound
	}
	rows, labels := slices.Clone(m.rows), slices.Clone(m.labels)
	for i := range worst {
		copies := m.space.Counterfactuals(m.region, worst[i])
		label := m.label(from, copies)
		for _, point := range copies {
			rows, labels = append(rows, point), append(labels, label)
		}
	}
	return m.fit(ctx, m.config(from), rows, labels, progress)
}

// label returns the training label of all copies of one individual.
func (m *material) label(n *relu.Network, copies [][]float64) int {
	positive, sum, level := 0, 0.0, 0.0
	borders := individual.Borders(m.rule, n.Link(), m.space, copies)
	for i, point := range copies {
		logit := n.Logit(m.space.NetworkInputs(nil, point))
		if logit > borders[i] {
			positive++
		}
		sum += fairness.Sigmoid(logit)
		level += fairness.Sigmoid(borders[i])
	}
	if m.rule.Groups == nil {
		level = m.rule.Level() * float64(len(copies))
	}
	mean := sum > level
	if m.Label == LabelMajority && 2*positive != len(copies) {
		mean = 2*positive > len(copies)
	}
	if mean {
		return 1
	}
	return 0
}

// consistent trains on the rows, with a penalty on the spread of the logits.
func (m *material) consistent(ctx context.Context, from *relu.Network, progress func(train.Epoch)) (*relu.Network, train.Report, error) {
	config := m.config(from)
	config.Consistency = train.Consistency{Weight: m.Weight, Group: m.group()}
	return m.fit(ctx, config, m.rows, m.labels, progress)
}

// group returns a function that draws some copies of an individual. With probability ½ the
// individual is drawn uniformly from the space, because a search leaves the data's range;
// otherwise it is one found, or the row itself. Individuals without an allowed counterfactual have
// no copies and no spread.
func (m *material) group() func(*rand.Rand, int) [][]float64 {
	worst := m.worst()
	protected := m.space.Protected()
	point := make([]float64, len(m.space.Features))
	inputs := make([][]float64, m.Copies)
	return func(rng *rand.Rand, row int) [][]float64 {
		switch source := rng.IntN(4); {
		case source < 2:
			m.draw(rng, point)
		case source == 2 && len(worst) > 0:
			copy(point, worst[rng.IntN(len(worst))])
		default:
			copy(point, m.rows[row])
		}
		n := 0
		for range m.Copies {
			for _, f := range protected {
				values := m.region.Values[f]
				point[f] = values[rng.IntN(len(values))]
			}
			if m.space.Allowed(point) {
				inputs[n] = m.space.NetworkInputs(inputs[n], point)
				n++
			}
		}
		return inputs[:n]
	}
}

// draw sets the entries of point that are not protected, uniformly from the
// region's box.
func (m *material) draw(rng *rand.Rand, point []float64) {
	for _, i := range m.space.Free() {
		iv := m.region.Box[i]
		if m.space.Features[i].Discrete() {
			point[i] = iv.Lo + math.Floor(float64(rng.Float64())*(iv.Hi-iv.Lo+1))
		} else {
			point[i] = iv.Lo + float64(float64(rng.Float64())*(iv.Hi-iv.Lo))
		}
	}
}

// blind trains on the rows without the protected attributes' inputs.
func (m *material) blind(ctx context.Context, from *relu.Network, progress func(train.Epoch)) (*relu.Network, train.Report, error) {
	hidden := m.protectedInputs()
	config := m.config(m.blinded(from, hidden))
	x := m.inputs(m.rows)
	for _, row := range x {
		for _, i := range hidden {
			row[i] = 0 // its weight then has gradient 0, and stays 0
		}
	}
	return m.train(ctx, config, m.rows, x, m.labels, progress)
}

// blinded returns the network with the weights from the hidden inputs set to zero. The mean
// contribution of these inputs over the rows moves into the biases.
func (m *material) blinded(from *relu.Network, hidden []int) *relu.Network {
	mean := make([]float64, from.Inputs())
	for _, row := range m.inputs(m.rows) {
		for _, i := range hidden {
			mean[i] += row[i] / float64(len(m.rows))
		}
	}
	out := *train.OneLogit(from)
	out.Layers = slices.Clone(out.Layers)
	first := &out.Layers[0]
	first.Weights, first.Bias = slices.Clone(first.Weights), slices.Clone(first.Bias)
	for j := range first.Out {
		for _, i := range hidden {
			first.Bias[j] += float64(first.Weights[j*first.In+i] * mean[i])
			first.Weights[j*first.In+i] = 0
		}
	}
	return &out
}

// protectedInputs returns the network inputs of protected features.
func (m *material) protectedInputs() []int {
	var out []int
	for _, f := range m.space.Protected() {
		for _, in := range m.space.Features[f].Inputs {
			out = append(out, in.Index)
		}
	}
	return out
}

// fit trains on points; those after the study's rows are never held back.
func (m *material) fit(ctx context.Context, c train.Config, points [][]float64, labels []int, progress func(train.Epoch)) (*relu.Network, train.Report, error) {
	return m.train(ctx, c, points, m.inputs(points), labels, progress)
}

// train trains on the network inputs x of points; the study's rows come first.
func (m *material) train(ctx context.Context, c train.Config, points, x [][]float64, y []int, progress func(train.Epoch)) (*relu.Network, train.Report, error) {
	c.HeldBack, c.Held = 0, m.held()
	_, c.Border = m.rule.Border(fairness.LinkSigmoid)
	if m.rule.Groups != nil {
		c.Borders = individual.Borders(m.rule, fairness.LinkSigmoid, m.space, points)
	}
	return train.Train(ctx, c, x, y, progress)
}

// held draws the rows of the study that choose the epoch.
func (m *material) held() []int {
	n := max(1, min(int(m.HeldBack*float64(len(m.rows))), len(m.rows)-1))
	rng := rand.New(rand.NewPCG(uint64(m.Seed), heldStream))
	out := rng.Perm(len(m.rows))[:n]
	slices.Sort(out)
	return out
}

// heldStream separates held's random stream from the seed's others.
const heldStream = 0x68656c64

func (m *material) inputs(points [][]float64) [][]float64 {
	out := make([][]float64, len(points))
	for i, p := range points {
		out[i] = m.space.NetworkInputs(nil, p)
	}
	return out
}
