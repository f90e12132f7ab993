package record

import "github.com/hyfair/hyfair/sdk/space"

// Domain is what a journal keeps of a feature besides its name, so that
// distances between individuals can be measured from the journal alone.
type Domain struct {
	// The kind: integer, categorical or real.
	Kind string `json:"kind"`
	// The least value; of categories the least index.
	Lo float64 `json:"lo"`
	// The largest value; of categories the largest index.
	Hi float64 `json:"hi"`
	// The feature is protected: it varies between counterfactuals, and is not part of an individual's
	// identity.
	Protected bool `json:"protected,omitempty"`
}

// Domains returns the domains of the space's features, in order.
func Domains(s *space.Space) []Domain {
	out := make([]Domain, len(s.Features))
	for i := range s.Features {
		f := &s.Features[i]
		out[i] = Domain{Kind: f.Kind.String(), Lo: f.Lo, Hi: f.Hi, Protected: f.IsProtected()}
	}
	return out
}

// Space returns a space with these domains, for distances only: it has no names,
// categories or network. An unknown kind counts as real.
func Space(domains []Domain) *space.Space {
	kinds := map[string]space.Kind{}
	for _, k := range []space.Kind{space.Integer, space.Categorical, space.Real} {
		kinds[k.String()] = k
	}
	s := &space.Space{Features: make([]space.Feature, len(domains))}
	for i, d := range domains {
		f := &s.Features[i]
		f.Kind, f.Lo, f.Hi = kinds[d.Kind], d.Lo, d.Hi
		if d.Protected {
			f.Protected = []float64{d.Lo}
		}
	}
	return s
}
