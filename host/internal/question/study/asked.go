package study

import (
	"github.com/hyfair/hyfair/host/internal/question/modelfile"
	"github.com/hyfair/hyfair/host/internal/question/scorer"
	"github.com/hyfair/hyfair/host/internal/question/yamlfile"
	"github.com/hyfair/hyfair/sdk/space"
)

// asked opens the model plugin that the study names, unless the options name a model; false if it names
// none. The plugin encodes for itself: it gets the features' own values, and the study's inputs have no
// effect.
func (r *reader) asked(root *yamlfile.Node, s *Study) (bool, error) {
	n := root.Get("model")
	if n == nil || n.Kind != yamlfile.Mapping || r.options.Model != "" {
		return false, nil
	}
	var ref scorer.Ref
	if at := n.Get("attach"); at != nil {
		path, err := where(at.At.File, at.Text, r.options.DataRoot)
		if err != nil {
			return false, &placed{at, err}
		}
		ref.Attach, n = path, at
	} else if at := n.Get("plugin"); at != nil {
		ref.Plugin, n = at.Text, at
	} else {
		return false, nil
	}
	opened, err := scorer.Open(ref, s.Space.Names())
	if err != nil {
		return false, &placed{n, err}
	}
	if output := root.Get("output"); output != nil && output.Text != opened.Spent.Scale && !(opened.Number && output.Text == "logit") {
		r.Fault(output, "got %s, but the scores of the plugin %s are of the scale %s: leave out the key output", output.Text, ref.Base(), opened.Spent.Scale)
		return false, r.Err()
	}
	s.Space.Inputs = len(opened.Names)
	for i := range s.Space.Features {
		s.Space.Features[i].Inputs = nil
	}
	for at, name := range opened.Names {
		i, _ := s.Space.Index(name)
		s.Space.Features[i].Inputs = []space.Input{{Index: at, Scale: 1}}
	}
	s.Model, s.Spent, s.ModelPath, s.ModelSHA256 = opened.Model, opened.Spent, ref.Base(), opened.SHA256
	s.ModelFile = modelfile.Info{Path: s.ModelPath, Format: "plugin", SHA256: opened.SHA256, Summary: modelfile.Summarise(opened.Model)}
	s.ModelFile.Linear = opened.Number
	return true, nil
}
