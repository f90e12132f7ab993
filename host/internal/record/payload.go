package record

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// MarshalPayload returns the payload that the event's kind names, as JSON. A missing
// payload, an unknown kind, and numbers that are not finite are errors.
func (e *Event) MarshalPayload() ([]byte, error) {
	slot := e.slot()
	if slot == nil {
		return nil, fmt.Errorf("event of unknown kind %q", e.Kind)
	}
	text, err := json.Marshal(slot)
	if err == nil && string(text) == "null" {
		err = fmt.Errorf("the payload %s is missing", e.Kind)
	}
	if err != nil {
		return nil, fmt.Errorf("event %s: %w", e.Kind, err)
	}
	return text, nil
}

// UnmarshalPayload sets the payload that the event's kind names. Kinds that
// this version does not know are left without a payload.
func (e *Event) UnmarshalPayload(text []byte) error {
	slot := e.slot()
	if slot == nil {
		return nil
	}
	if err := json.Unmarshal(text, slot); err != nil {
		return fmt.Errorf("event %s: %w", e.Kind, err)
	}
	if string(bytes.TrimSpace(text)) == "null" {
		return fmt.Errorf("event %s: the payload is empty", e.Kind)
	}
	return nil
}

// slot returns a pointer to the field of the kind's payload; nil for unknown kinds.
func (e *Event) slot() any {
	switch e.Kind {
	case KindStarted:
		return &e.Started
	case KindFound:
		return &e.Found
	case KindBest:
		return &e.Best
	case KindTally:
		return &e.Tally
	case KindClaim:
		return &e.Claim
	case KindWitness:
		return &e.Witness
	case KindVerdict:
		return &e.Verdict
	case KindShares:
		return &e.Shares
	case KindProgress:
		return &e.Progress
	case KindFault:
		return &e.Fault
	case KindFinished:
		return &e.Finished
	}
	return nil
}
