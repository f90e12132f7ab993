package main

import (
	"strings"

	"github.com/hyfair/hyfair/sdk"
)

// reasons maps parts of Z3's explanations, up to 5.4, to reasons. The first part that
// occurs counts.
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

// reasonOf returns why there is no answer. The limit reached here takes precedence over
// Z3's text, in which all interruptions look alike; even a work limit may look like one.
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
