// Package record defines a piece of work and the ordered stream of events of its runs.
// A run's events alone contain what it found and every measure; package journal keeps
// them.
package record

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"
)

// Task is one piece of work, independent of place and time: two runs of equal tasks
// with budgets in iterations have events that differ in times only.
type Task struct {
	// The command: search, certify and others.
	Command string `json:"command"`
	// The SHA-256 of the model.
	Network string `json:"network"`
	// The SHA-256 of the study.
	Study string `json:"study"`
	// The strategy or the solver.
	Arm string `json:"arm"`
	// The seed.
	Seed int64 `json:"seed"`
	// The region as a predicate; absent for the whole space.
	Region string `json:"region,omitempty"`
	// All other settings that change the result, by flag.
	Settings map[string]string `json:"settings,omitempty"`
}

// ID returns a hex SHA-256 checksum that equal tasks share and different ones do not.
func (t Task) ID() string {
	text, err := json.Marshal(t) // maps are written in the order of their keys
	if err != nil {
		panic(fmt.Sprintf("task: %v", err)) // strings and numbers always encode
	}
	return Hash(text)
}

// NewRun returns a name for a run of the task that starts now, unique unless two runs of
// one task start in the same nanosecond.
func (t Task) NewRun(now time.Time) string {
	return Hash([]byte(t.ID() + now.UTC().Format(time.RFC3339Nano)))[:12]
}

// Hash returns the hex SHA-256 checksum of content.
func Hash(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
