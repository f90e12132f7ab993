package encode

import (
	"github.com/hyfair/hyfair/internal/named"
	"github.com/hyfair/hyfair/sdk/bound"
	"github.com/hyfair/hyfair/sdk/problem"
)

// Encoding is a named lowering to the MILP or the SMT form.
type Encoding struct {
	Name    string
	Summary string
	// Form is FormMILP or FormSMT; the function of that form is set.
	Form problem.Form
	// Fidelity is the fidelity of a query that needs no approximation.
	Fidelity Fidelity
	// SOS1: the problem has special ordered sets, which not every solver supports.
	SOS1      bool
	LowerMILP func(*problem.Query, *bound.Bounds) (*Lowered, error)
	LowerSMT  func(*problem.Query, *bound.Bounds) (*LoweredSMT, error)
}

// Encodings is the register: a new encoding adds one line.
var Encodings = []Encoding{
	{Name: "bigm", Summary: "one binary per unstable ReLU, big-M rows from the bounds (the paper's MILP); exact up to the solver's tolerance",
		Form: problem.FormMILP, Fidelity: Exact, LowerMILP: BigM},
	{Name: "bigm+diff", Summary: "bigm with rows on the difference of the two copies of each neuron; exact up to the solver's tolerance",
		Form: problem.FormMILP, Fidelity: Exact, LowerMILP: BigMDifferences},
	{Name: "sos1", Summary: "one special ordered set per unstable ReLU, no binaries and no big-M; exact up to the solver's tolerance",
		Form: problem.FormMILP, Fidelity: Exact, SOS1: true, LowerMILP: SOS1},
	{Name: "smt", Summary: "rationals, with a choice between two pieces per unstable ReLU; exact",
		Form: problem.FormSMT, Fidelity: Exact, LowerSMT: SMT},
	{Name: "smt-ite", Summary: "rationals, with an ite per unstable ReLU; exact",
		Form: problem.FormSMT, Fidelity: Exact, LowerSMT: SMTIte},
}

// Find looks an encoding up by name. The error for an unknown name lists the known ones.
func Find(name string) (Encoding, error) {
	return named.Find(Encodings, func(e Encoding) string { return e.Name }, "encoding", name)
}
