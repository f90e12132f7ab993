package draft

import (
	"slices"
	"strings"

	"github.com/hyfair/hyfair/host/internal/question/modelfile"
	"github.com/hyfair/hyfair/sdk/space"
)

// plain returns a name without the characters that libraries change.
func plain(name string) string { return modelfile.PlainName(name) }

// squeezed reduces a name to letters and digits, as people do for LightGBM, which takes no
// other characters.
func squeezed(name string) string { return strings.ReplaceAll(plain(name), "_", "") }

// named arranges columns by the names of the model's inputs, as libraries form them from
// columns and categories: "age", "sex=Male", "sex_Male", "words__sex_Male".
func (v *selection) named(columns []*column, names []string) (arrangement, bool) {
	a := arrangement{view: v, how: "by the names of the model's inputs"}
	if !v.drop {
		a.how += ", missing values a category"
	}
	for _, name := range names {
		c, category, ok := v.source(columns, name)
		if !ok {
			return a, false
		}
		last := len(a.features) - 1
		switch {
		case category == "" && slices.ContainsFunc(a.features, func(f feature) bool { return f.from == c }):
			return a, false
		case category == "" && c.numeric:
			a.features = append(a.features, v.number(c))
		case category == "":
			a.features = append(a.features, v.category(c, ordinal))
		case last >= 0 && a.features[last].from == c:
			f := &a.features[last]
			if slices.Contains(f.Categories, category) {
				return a, false
			}
			f.Categories = append(f.Categories, category)
		case slices.ContainsFunc(a.features, func(f feature) bool { return f.from == c }):
			return a, false // a study cannot split the inputs of a column
		default:
			f := feature{from: c, inputs: "one-hot", named: true}
			f.Name, f.Kind, f.Categories = c.name, space.Categorical, []string{category}
			a.features = append(a.features, f)
		}
	}
	for i := range a.features {
		if f := &a.features[i]; f.Kind == space.Categorical && f.inputs == "one-hot" {
			f.rest(v)
		}
	}
	return a, true
}

// spelled returns a category of the model as the column's cells write it, such as 1.0 for 1.
func (c *column) spelled(category string) string {
	if _, ok := c.index[category]; !ok {
		for _, text := range c.texts {
			if modelfile.SameCategory(category, text) {
				return text
			}
		}
	}
	return category
}

// rest adds the data's categories without an input, and makes the inputs.
func (f *feature) rest(v *selection) {
	own := len(f.Categories)
	for _, name := range v.of[f.from].categories {
		if !slices.Contains(f.Categories, name) {
			f.Categories = append(f.Categories, name)
		}
	}
	f.Hi = float64(len(f.Categories) - 1)
	for i := range own {
		f.Inputs = append(f.Inputs, space.Input{Table: indicator(len(f.Categories), i)})
	}
	if len(f.Categories) > own {
		f.inputs, f.strangers = tables(f.Inputs), f.Categories[own:]
		f.why = append(f.why, "likely: the model has no input for "+strings.Join(f.Categories[own:], ", ")+", so all inputs of the column are 0 then")
	}
}

// blindTo reports whether the model has no input for a mark of a missing value.
func (a *arrangement) blindTo() bool {
	return slices.ContainsFunc(a.features, func(f feature) bool {
		return f.Kind == space.Categorical && f.inputs != "" && f.from.missing > 0 && !slices.Contains(f.Categories[:len(f.Inputs)], f.from.marks[0])
	})
}

// numbered reports whether the model takes categories as numbers and its file does not hold
// their order.
func (a *arrangement) numbered() bool { return slices.ContainsFunc(a.features, feature.numbered) }

func (f feature) numbered() bool {
	return f.Kind == space.Categorical && f.inputs == "" && f.from.listed == nil
}

// unchecked returns the columns whose preparation the model's file does not hold. The file holds
// the preparation of texts if it has an encoder with inputs called column=category. A number, or a
// 0/1 input of a category, may have been computed from the column in any way; a scaler in the file
// does not exclude another one before it.
func (a *arrangement) unchecked(names []string) (open []string) {
	at := 0
	for i := range a.features {
		f := &a.features[i]
		if f.from.listed == nil && (f.Kind != space.Categorical || !strings.HasPrefix(names[at], f.from.name+"=")) {
			open = append(open, f.Name)
		}
		at += len(f.Inputs)
	}
	return open
}

// source returns the column and the category that an input is named after.
func (v *selection) source(columns []*column, name string) (*column, string, bool) {
	for _, c := range columns {
		if c.name == name {
			return c, "", true
		}
	}
	if stem, category, ok := strings.Cut(name, "="); ok {
		for _, c := range columns {
			if plain(c.name) == plain(stem) {
				return c, c.spelled(category), true
			}
		}
	}
	if _, after, ok := strings.Cut(name, "__"); ok {
		if c, category, ok := v.source(columns, after); ok {
			return c, category, ok
		}
	}
	name = plain(name)
	for _, c := range columns {
		if plain(c.name) == name {
			return c, "", true
		}
	}
	for _, c := range columns {
		rest, ok := strings.CutPrefix(name, plain(c.name)+"_")
		if !ok || c.many {
			continue
		}
		for _, category := range v.of[c].categories {
			if plain(category) == rest {
				return c, category, true
			}
		}
	}
	c := onlyOne(columns, name)
	return c, "", c != nil
}

// onlyOne returns the column whose squeezed name equals the squeezed given one; nil if there is
// none, or several.
func onlyOne(columns []*column, name string) (only *column) {
	for _, c := range columns {
		if own := squeezed(c.name); own == "" || own != squeezed(name) {
			continue
		}
		if only != nil {
			return nil
		}
		only = c
	}
	return only
}
