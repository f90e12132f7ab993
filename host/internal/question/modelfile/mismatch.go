package modelfile

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hyfair/hyfair/sdk/space"
)

// Fed is a feature with the model's inputs that it determines.
type Fed struct {
	*space.Feature
	// Columns are the names of the feature's columns: one, or one per category.
	Columns []string
	// Cells returns the texts, besides its name, that stand for category v in cells; nil: none.
	Cells func(v int) []string
}

// maxHeld is the maximum number of a feature's values that are compared with an input's codes.
const maxHeld = 1 << 16

// Mismatch compares features with the model file's input names and categories. It returns the first feature that
// contradicts them, and why; "" without one. What the file does not state is not compared.
func (i *Info) Mismatch(all []Fed) (feature int, why string) {
	owners := map[string]int{} // features by column
	for at := range all {
		for _, name := range append([]string{all[at].Name}, all[at].Columns...) {
			if before, ok := owners[name]; ok && before != at {
				owners[name] = -1 // two features read the column
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
				n, code, said := f.held(in)
				if why := contradicted(codes, n, code, said); why != "" {
					return at, fmt.Sprintf("input %d %s", in.Index, why)
				}
			}
		}
	}
	return 0, ""
}

// misnamed says why an input with that name cannot belong to the feature, whose index is also
// given; "" if it can. owners holds the features by column.
func (f *Fed) misnamed(in space.Input, name string, at int, owners map[string]int) string {
	if owner, ok := owners[name]; ok && owner >= 0 && owner != at {
		return fmt.Sprintf("gets the feature %s: list the features in the order of the model's inputs", f.Name)
	}
	if f.Kind != space.Categorical || in.Table == nil {
		return ""
	}
	one := -1 // the category that this input indicates
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
			return fmt.Sprintf("is 1 if %s is: list the categories in the order of the model's inputs", f.Columns[one])
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
			return fmt.Sprintf("is 1 if %s is %s: list the categories in the order of the model's inputs", f.Name, f.Categories[one])
		}
	}
	return ""
}

// cells returns the texts that stand for category v in cells.
func (f *Fed) cells(v int) []string {
	out := []string{f.Categories[v]}
	if f.Cells != nil {
		out = append(out, f.Cells(v)...)
	}
	return out
}

// held returns the feature's values as arguments of contradicted: their number, codes and texts.
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

// contradicted says why the codes of an input contradict a study; "" if they do not. For each
// category or number v below n, at returns its code and said its texts in CSV.
func contradicted(c Codes, n int, at func(v int) float64, said func(v int) []string) string {
	among := func(list []string, cells []string) bool {
		return slices.ContainsFunc(cells, func(cell string) bool {
			return slices.ContainsFunc(list, func(own string) bool { return SameCategory(own, cell) })
		})
	}
	why := ""
	for _, list := range c.Lists {
		if c.Number { // a list applies only if it contains every category
			all := n > 0
			for v := range n {
				all = all && among(list, said(v))
			}
			if !all {
				return ""
			}
		}
		why = ""
		for v := range n {
			code, cells := at(v), said(v)
			switch {
			case code != math.Trunc(code) || code < 0 || code >= float64(len(list)):
				why = fmt.Sprintf("%s becomes the code %v, but there are %d categories", cells[0], code, len(list))
			case !slices.ContainsFunc(cells, func(cell string) bool { return SameCategory(list[int(code)], cell) }):
				why = fmt.Sprintf("the code %v means %s in the model and %s in the study", code, list[int(code)], cells[0])
			default:
				continue
			}
			break
		}
		if why == "" {
			return ""
		}
	}
	if why == "" {
		return ""
	}
	return fmt.Sprintf("takes the code of one of %s, in this order: %s", shortList(c.Lists[0]), why)
}

func shortList(list []string) string {
	if len(list) > 20 {
		return strings.Join(list[:20], ", ") + fmt.Sprintf(" and %d more", len(list)-20)
	}
	return strings.Join(list, ", ")
}

// SameCategory reports whether a category of a file equals a cell of a CSV file: as text, number
// or truth value.
func SameCategory(own, cell string) bool {
	if own == cell {
		return true
	}
	a, err1 := strconv.ParseFloat(own, 64)
	b, err2 := strconv.ParseFloat(cell, 64)
	return err1 == nil && err2 == nil && a == b || (own == "True" || own == "False") && strings.EqualFold(own, cell)
}

// PlainName returns a name in lower case, with the characters that libraries change replaced by _.
func PlainName(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r > 127 {
			return r
		}
		return '_'
	}, strings.ToLower(strings.TrimSpace(name)))
}
