package inspect

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/space"
)

// Document shows the result.
func (r *Result) Document() *view.Document {
	d := &view.Document{}
	if r.Study != "" {
		d.Say("%s", strings.TrimSuffix(r.Study+": "+r.Summary, ": "))
	}
	d.Add(r.AllCaveats()...)
	network := &view.Facts{}
	d.Add(network)
	if r.Family != "" {
		network.Add("model", fmt.Sprintf("%s (%s, family %s)", r.Path, r.Format, r.Family))
		size := view.Count(r.Parameters) + " parameters"
		if r.Size != "" {
			size = r.Size
		}
		network.Add("size", fmt.Sprintf("%s inputs, %s", view.Count(r.Inputs), size))
	} else {
		network.Add("network", fmt.Sprintf("%s (%s, %d-bit weights)", r.Path, r.Format, r.Precision))
		network.Add("size", fmt.Sprintf("%s inputs, %s ReLU neurons, %s parameters", view.Count(r.Inputs), view.Count(r.Neurons), view.Count(r.Parameters)))
		if names := r.InputNames; len(names) > 0 {
			network.Add("inputs", strings.Join(names[:min(len(names), 60)], ", ")+map[bool]string{true: ", …"}[len(names) > 60])
		}
		d.Add(r.layers())
	}
	if r.Study == "" {
		return d
	}
	d.Add(r.features())
	if len(r.Rules) > 0 {
		d.Add(r.rules())
	}
	facts := &view.Facts{}
	bound := ""
	if !*r.KExact {
		bound = " at most (the rules have too many cases to count)"
	}
	facts.Add("K", view.Count(r.K)+" counterfactuals"+bound)
	if r.Where != "" {
		facts.Add("where", r.Where)
	}
	facts.Add("question", fmt.Sprintf("ε = %s, notion %s, clustering %s", r.Epsilon, r.Notion, r.Clustering))
	if check := r.Check(); check != "" {
		facts.Add("inputs", check)
	}
	r.rows(facts)
	d.Add(facts)
	return d
}

func (r *Result) layers() *view.Table {
	t := plain("LAYER", "INPUTS", "UNITS", "ACTIVATION", "PARAMETERS")
	for _, l := range r.Layers {
		t.Add(l.Name, strconv.Itoa(l.Inputs), strconv.Itoa(l.Units), l.Activation, strconv.Itoa(l.Parameters))
	}
	return t
}

func plain(titles ...string) *view.Table {
	t := &view.Table{Plain: true}
	for _, title := range titles {
		t.Columns = append(t.Columns, view.Column{Title: title})
	}
	return t
}

func (r *Result) features() *view.Table {
	t := plain("FEATURE", "KIND", "DOMAIN", "INPUTS", "PROTECTED")
	for i := range r.Features {
		f := &r.Features[i]
		inputs := "none"
		if n := len(f.Inputs); n > 0 {
			inputs = strconv.Itoa(f.Inputs[0])
			if n > 1 {
				inputs += "–" + strconv.Itoa(f.Inputs[n-1])
			}
		}
		domain := f.label(f.Lo) + ".." + f.label(f.of().Numbers().Hi)
		if f.Missing {
			domain += " or " + space.MissingName
		}
		if len(f.Categories) > 0 {
			domain = counted(f.Categories)
		}
		protected := ""
		if values := r.Protected[f.Name]; len(values) > 0 {
			labels := make([]string, len(values))
			for i, v := range values {
				labels[i] = f.label(v)
			}
			protected = counted(labels)
		}
		if slices.Contains(r.Extrapolated, f.Name) {
			protected += " (an extrapolation: outside the domain)"
		}
		t.Add(f.Name, f.Kind, domain, inputs, protected)
	}
	return t
}

// label formats a value for people.
func (f *Feature) label(v float64) string { return f.of().Label(v) }

func (f *Feature) of() *space.Feature {
	of := &space.Feature{Lo: f.Lo, Hi: f.Hi, Missing: f.Missing, Categories: f.Categories, Kind: space.Real}
	if len(f.Categories) > 0 {
		of.Kind = space.Categorical
	}
	return of
}

func (r *Result) rules() *view.Table {
	t := plain("RULE", "ON", "FORBIDS")
	for _, rule := range r.Rules {
		name, on := rule.Name, map[bool]string{true: "on", false: "off"}[rule.On]
		for _, forbidden := range rule.Forbid {
			t.Add(name, on, forbidden)
			name, on = "", ""
		}
	}
	return t
}

// rows adds the facts about the data set.
func (r *Result) rows(facts *view.Facts) {
	d := r.Rows
	if d == nil {
		return
	}
	text := fmt.Sprintf("%s, %s of them held back", view.Count(d.Rows), view.Count(d.RowsTest))
	if d.RowsDropped > 0 {
		text += fmt.Sprintf("; %s left out for missing values", view.Count(d.RowsDropped))
	}
	facts.Add("rows", text)
	if d.RowsOutside > 0 {
		var parts []string
		for _, f := range r.Features {
			if n := d.Outside[f.Name]; n > 0 {
				parts = append(parts, f.Name+" "+view.Count(n))
			}
		}
		facts.Add("", view.Count(d.RowsOutside)+" outside the domain: "+strings.Join(parts, ", "))
	}
	if d.RowsForbidden > 0 {
		facts.Add("", view.Count(d.RowsForbidden)+" forbidden by a rule")
	}
	if d.Accuracy != nil {
		text := fmt.Sprintf("%.2f %% of all rows", *d.Accuracy)
		if d.AccuracyTest != nil {
			text += fmt.Sprintf(", %.2f %% of those held back", *d.AccuracyTest)
		}
		text += fmt.Sprintf("; %.2f %% by a constant prediction", *d.Majority)
		if d.AUC != nil {
			text += fmt.Sprintf("; AUC %.4f", *d.AUC)
		}
		facts.Add("accuracy", text)
	}
}

// counted formats the number of names, and the first ones.
func counted(names []string) string { return fmt.Sprintf("%d: %s", len(names), shortList(names, 40)) }

// shortList joins names up to about width characters.
func shortList(names []string, width int) string {
	var b strings.Builder
	for i, name := range names {
		if i > 0 {
			b.WriteString(", ")
		}
		if i > 0 && b.Len()+len(name) > width {
			b.WriteString("…")
			break
		}
		b.WriteString(name)
	}
	return b.String()
}
