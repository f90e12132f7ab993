// Package record names one piece of work and the ordered stream of events it
// gives. What a run found, and every measure of it, can be read back from its
// events alone; package journal keeps them.
package record

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"
)

// Task is one piece of work, the same wherever and whenever it runs: two runs
// of equal tasks under budgets in iterations give equal events but for times.
type Task struct {
	// Command that was asked for: search, certify, …
	Command string `json:"command"`
	// Network and Study are hex SHA-256 sums of the content.
	Network string `json:"network"`
	Study   string `json:"study"`
	// Arm names what is compared: the strategy or the solver.
	Arm string `json:"arm"`
	// Seed of every random choice.
	Seed int64 `json:"seed"`
	// Region is the cut of the space as a predicate in the space's own names;
	// empty: the whole space.
	Region string `json:"region,omitempty"`
	// Settings are all others that change the result, by their flag's name.
	Settings map[string]string `json:"settings,omitempty"`
}

// ID is a hex SHA-256 sum that equal tasks share and different ones do not.
func (t Task) ID() string {
	text, err := json.Marshal(t) // maps are written in the order of their keys
	if err != nil {
		panic(fmt.Sprintf("task: %v", err)) // strings and numbers always encode
	}
	return Hash(text)
}

// NewRun names one run of the task that starts now: unique as long as no two
// runs of one task start in the same nanosecond.
func (t Task) NewRun(now time.Time) string {
	return Hash([]byte(t.ID() + now.UTC().Format(time.RFC3339Nano)))[:12]
}

// Hash is the hex SHA-256 sum of content.
func Hash(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
