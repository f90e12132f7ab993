package main

import (
	"strings"

	"github.com/hyfair/hyfair/sdk"
)

// reasons are Z3's words for having no answer, up to 5.4, and what they mean.
// The first that occurs counts.
var reasons = []struct {
	part   string
	reason sdk.Reason
}{
	{"memout", sdk.MemoryLimit},
	{"memory", sdk.MemoryLimit},
	{"resource", sdk.WorkLimit},
	{"rlimit", sdk.WorkLimit},
	{"timeout", sdk.TimeLimit},
	{"incomplete", sdk.Incomplete},
	{"unsupported", sdk.Incomplete},
	{"quantifiers", sdk.Incomplete},
	{"lambdas", sdk.Incomplete},
	{"cancel", sdk.Interrupted},
	{"interrupt", sdk.Interrupted},
}

// reasonOf is why there is no answer. What was done from here, the limit reached,
// counts before Z3's text, in which every interruption looks alike; a work limit may
// look like one too.
func reasonOf(reached sdk.Reason, native string, limited bool) sdk.Reason {
	if reached != sdk.NoReason {
		return reached
	}
	for _, r := range reasons {
		if !strings.Contains(strings.ToLower(native), r.part) {
			continue
		}
		if r.reason == sdk.Interrupted && limited {
			return sdk.WorkLimit
		}
		return r.reason
	}
	return sdk.Other
}
