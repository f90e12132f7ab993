package crosscheck

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// classForest is a forest of whole numbers over 3 inputs: per tree a comparison, and one more on each side. Tree k is of class
// k modulo the number of classes.
type classForest struct {
	count int
	trees [][]int // per tree 3 inputs, 3 borders and 4 leaves
}

func drawClassForest(r *rand.Rand) classForest {
	f := classForest{count: 3 + r.IntN(2)}
	for range f.count * (1 + r.IntN(3)) {
		t := []int{r.IntN(3), r.IntN(3), r.IntN(3), 1 + r.IntN(2), 1 + r.IntN(2), 1 + r.IntN(2)}
		for range 4 {
			t = append(t, r.IntN(7)-3)
		}
		f.trees = append(f.trees, t)
	}
	return f
}

func (f classForest) classes() int { return f.count }

// winners are the classes with the largest sum.
func (f classForest) winners(x [3]int) []int {
	sums := make([]int, f.count)
	for k, t := range f.trees {
		at := 0
		if x[t[0]] >= t[3] {
			at = 1
		}
		leaf := 2 * at
		if x[t[1+at]] >= t[4+at] {
			leaf++
		}
		sums[k%f.count] += t[6+leaf]
	}
	return largest(sums)
}

// file is the forest as a file of XGBoost or of LightGBM.
func (f classForest) file(i int) (name, text string) {
	var trees, info []string
	for k, t := range f.trees {
		if info = append(info, fmt.Sprint(k%f.count)); i%2 == 0 {
			trees = append(trees, fmt.Sprintf(`{"categories":[],"categories_nodes":[],"categories_segments":[],"categories_sizes":[],"default_left":[0,0,0,0,0,0,0],"id":%d,`+
				`"left_children":[1,3,5,-1,-1,-1,-1],"right_children":[2,4,6,-1,-1,-1,-1],"split_conditions":[%d,%d,%d,%d,%d,%d,%d],"split_indices":[%d,%d,%d,0,0,0,0],"split_type":[0,0,0,0,0,0,0],"tree_param":{"num_nodes":"7"}}`,
				k, t[3], t[4], t[5], t[6], t[7], t[8], t[9], t[0], t[1], t[2]))
			continue
		}
		trees = append(trees, fmt.Sprintf("Tree=%d\nnum_leaves=4\nnum_cat=0\nsplit_feature=%d %d %d\nthreshold=%d.5 %d.5 %d.5\ndecision_type=0 0 0\nleft_child=1 -1 -3\nright_child=2 -2 -4\nleaf_value=%d %d %d %d\nis_linear=0\nshrinkage=1\n",
			k, t[0], t[1], t[2], t[3]-1, t[4]-1, t[5]-1, t[6], t[7], t[8], t[9]))
	}
	if i%2 == 0 {
		return "m.json", fmt.Sprintf(`{"learner":{"gradient_booster":{"model":{"gbtree_model_param":{"num_parallel_tree":"1","num_trees":"%d"},"tree_info":[%s],"trees":[%s]},"name":"gbtree"},`+
			`"learner_model_param":{"base_score":"5E-1","num_class":"%d","num_feature":"3","num_target":"1"},"objective":{"name":"multi:softprob"}},"version":[3,0,0]}`,
			len(f.trees), strings.Join(info, ","), strings.Join(trees, ","), f.count)
	}
	return "m.txt", fmt.Sprintf("tree\nversion=v4\nnum_class=%d\nnum_tree_per_iteration=%[1]d\nmax_feature_idx=2\nobjective=multiclass num_class:%[1]d\n\n%s\nend of trees\n", f.count, strings.Join(trees, "\n"))
}
