package modelfile

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hyfair/hyfair/sdk/space"
)

// Fed is a feature as it feeds inputs of a model.
type Fed struct {
	*space.Feature
	// Columns are the names of the columns that it is read from: one, or one for each category.
	Columns []string
	// Cells are what cells say, beside the name of category v, where it is meant; nil: nothing else.
	Cells func(v int) []string
}

// maxHeld bounds the numbers of a feature that are held against the codes of an input.
const maxHeld = 1 << 16

// Mismatch holds features against what the model's file says of its inputs: their names, and the
// categories that they take the codes of. It gives the first feature that cannot be right, and why; "" for none.
// What the file does not say is not held against anything.
func (i *Info) Mismatch(all []Fed) (feature int, why string) {
	owners := map[string]int{} // features by the columns that they are read from
	for at := range all {
		for _, name := range append([]string{all[at].Name}, all[at].Columns...) {
			if before, ok := owners[name]; ok && before != at {
				owners[name] = -1 // read twice
			} else {
				owners[name] = at
			}
		}
	}
	for at := range all {
		f := &all[at]
		for _, in := range f.Inputs {
			if in.Index < len(i.InputNames) {
				if why := f.misnamed(in, i.InputNames[in.Index], at, owners); why != "" {
					return at, fmt.Sprintf("input %d, which the model calls %q, %s", in.Index, i.InputNames[in.Index], why)
				}
			}
			if codes, ok := i.Codes[in.Index]; ok {
				if why := codes.Holds(f.held(in)); why != "" {
					return at, fmt.Sprintf("input %d %s", in.Index, why)
				}
			}
		}
	}
	return 0, ""
}

// misnamed says why an input of that name cannot be the feature's; owners are features by their columns.
func (f *Fed) misnamed(in space.Input, name string, at int, owners map[string]int) string {
	if owner, ok := owners[name]; ok && owner >= 0 && owner != at {
		return fmt.Sprintf("gets %s here: features stand in the order of the model's inputs", f.Name)
	}
	if f.Kind != space.Categorical || in.Table == nil {
		return ""
	}
	one := -1 // the category of which this is the indicator
	for v, x := range in.Table {
		if x == 1 && one < 0 {
			one = v
		} else if x != 0 {
			return ""
		}
	}
	if one < 0 || one >= len(f.Categories) {
		return ""
	}
	if len(f.Columns) == len(f.Categories) && len(f.Columns) > 1 {
		if v := slices.Index(f.Columns, name); v >= 0 && v != one {
			return fmt.Sprintf("is 1 here where %s is: categories stand in the order of the model's inputs", f.Columns[one])
		}
		return ""
	}
	meant := func(v int) bool {
		for _, cell := range f.cells(v) {
			own := "_" + PlainName(f.Columns[0]) + "_" + PlainName(cell)
			if strings.HasSuffix("_"+PlainName(name), own) {
				return true
			}
		}
		return false
	}
	if meant(one) {
		return ""
	}
	for v := range f.Categories {
		if meant(v) {
			return fmt.Sprintf("is 1 here where %s is %s: categories stand in the order of the model's inputs", f.Name, f.Categories[one])
		}
	}
	return ""
}

// cells are what a cell may say where category v is meant.
func (f *Fed) cells(v int) []string {
	out := []string{f.Categories[v]}
	if f.Cells != nil {
		out = append(out, f.Cells(v)...)
	}
	return out
}

// held are the values of the feature as Codes.Holds takes them: how many, their codes, and what they say.
func (f *Fed) held(in space.Input) (n int, at func(v int) float64, said func(v int) []string) {
	value := func(v int) float64 { return f.Lo + float64(v) }
	n = len(f.Categories)
	if said = f.cells; f.Kind != space.Categorical {
		numbers := f.Numbers()
		n = int(min(maxHeld, math.Floor(numbers.Hi-numbers.Lo)+1))
		said = func(v int) []string {
			cells := []string{fmt.Sprint(value(v))}
			if f.Cells != nil {
				cells = append(cells, f.Cells(int(value(v)))...)
			}
			return cells
		}
	} else if f.Missing {
		n--
	}
	at = func(v int) float64 {
		if in.Table != nil {
			return in.Table[v]
		}
		return in.Scale*value(v) + in.Offset
	}
	return n, at, said
}
