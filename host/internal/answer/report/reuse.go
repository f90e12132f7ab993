package report

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/hyfair/hyfair/host/internal/question/population"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/record/journal"
)

// content is a hash of everything that a step's result depends on: the request by content, the
// data and the version.
func (a *asker) content(name string, request any) string {
	weights := ""
	if people, err := population.Parse(a.people()); err == nil {
		weights = people.SHA256()
	}
	text, err := json.Marshal(struct {
		Step    string `json:"step"`
		Request any    `json:"request"`
		Data    string `json:"data"`
		Version string `json:"version"`
		Weights string `json:"weights,omitempty"` // of the population
	}{name, request, a.out.Provenance.DataSHA256, a.out.Provenance.Version, weights})
	if err != nil {
		return "" // not for the requests of this package
	}
	return record.Hash(text)
}

// taken returns a step's result with this content from a report in the journal, and that
// report's run.
func taken[P any](a *asker, content string) (out P, from string, ok bool) {
	j, err := a.session.Journal()
	if err != nil || j == nil || content == "" || a.request.Fresh {
		return out, "", false
	}
	known, err := j.Known(content)
	if err != nil || len(known) == 0 || json.Unmarshal(known[0].Result, &out) != nil {
		return out, "", false
	}
	if known[0].Origin != nil {
		from = known[0].Origin.Run
	}
	return out, from, true
}

// store keeps a step's result for later reports. A result that cannot be kept is computed again.
func (a *asker) store(name, content string, result any, seconds float64) {
	if a.run.Kept != nil && content != "" {
		_ = a.run.Kept.CompleteAs(journal.Done{Key: name, Content: content, Seconds: seconds}, result)
	}
}

// command returns the command line that runs a step alone.
func (a *asker) command(name, limited string, limit time.Duration) string {
	var more []string
	if limited != "" {
		if more = strings.Fields(limited); strings.HasPrefix(more[len(more)-1], "--") {
			more = append(more, limit.String())
		}
	}
	switch audited := a.audited(); {
	case name == plausible:
		spec := a.plausibly(a.spec)
		return spec.Command("quantify", true, append(more, "--population", a.people())...)
	case name == "audit":
		asked := a.auditing(a.spec, 0)
		if asked.Groups {
			more = append(more, "--groups")
		}
		if asked.Thresholds != "" {
			more = append(more, "--thresholds", asked.Thresholds)
		}
		if audited != "" {
			more = append(more, "--notion", audited)
		}
		return a.spec.Command(name, false, more...)
	}
	if even := a.even(); even != "" && name == "quantify" {
		more = append(more, "--population", even)
	}
	return a.spec.Command(name, name == "certify" || name == "quantify", more...)
}
