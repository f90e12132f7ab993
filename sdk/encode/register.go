package encode

import (
	"github.com/hyfair/hyfair/internal/named"
	"github.com/hyfair/hyfair/sdk/bound"
	"github.com/hyfair/hyfair/sdk/problem"
)

// Encoding is a named lowering to one of the forms that know no networks.
type Encoding struct {
	Name    string
	Summary string
	// Form is FormMILP or FormSMT; the function of that form is set.
	Form problem.Form
	// Fidelity of what is lowered.
	Fidelity Fidelity
	// SOS1: the problem has special ordered sets, which not every solver takes.
	SOS1      bool
	LowerMILP func(*problem.Query, *bound.Bounds) (*Lowered, error)
	LowerSMT  func(*problem.Query, *bound.Bounds) (*LoweredSMT, error)
}

// Encodings is the register: a new encoding adds one line.
var Encodings = []Encoding{
	{Name: "bigm", Summary: "one binary a ReLU of open sign, big-M rows from the bounds (the paper's MILP); exact up to the solver's tolerance",
		Form: problem.FormMILP, Fidelity: Exact, LowerMILP: BigM},
	{Name: "bigm+diff", Summary: "bigm with rows on the difference of the two copies of each neuron; exact up to the solver's tolerance",
		Form: problem.FormMILP, Fidelity: Exact, LowerMILP: BigMDifferences},
	{Name: "sos1", Summary: "a special ordered set a ReLU of open sign, no binaries and no big-M; exact up to the solver's tolerance",
		Form: problem.FormMILP, Fidelity: Exact, SOS1: true, LowerMILP: SOS1},
	{Name: "smt", Summary: "rationals, a ReLU of open sign a choice between its pieces; exact",
		Form: problem.FormSMT, Fidelity: Exact, LowerSMT: SMT},
	{Name: "smt-ite", Summary: "rationals, a ReLU of open sign an ite; exact",
		Form: problem.FormSMT, Fidelity: Exact, LowerSMT: SMTIte},
}

// Find looks an encoding up by name.
func Find(name string) (Encoding, error) {
	return named.Find(Encodings, func(e Encoding) string { return e.Name }, "encoding", name)
}
