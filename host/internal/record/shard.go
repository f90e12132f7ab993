package record

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
)

// Shard is one of several parts of some work. Part is its number, from 1, and Of the number of
// parts. The division depends on the work only: all machines divide the same work in the same way.
// The zero value is all of the work.
type Shard struct{ Part, Of int }

// maxShards is the largest number of parts, far above any use.
const maxShards = 1 << 20

// ParseShard reads part/of, such as 3/20.
func ParseShard(text string) (Shard, error) {
	part, of, _ := strings.Cut(text, "/")
	s := Shard{}
	var err, wrong error
	s.Part, err = strconv.Atoi(part)
	s.Of, wrong = strconv.Atoi(of)
	if err != nil || wrong != nil || s.Of < 1 || s.Of > maxShards || s.Part < 1 || s.Part > s.Of {
		return Shard{}, fmt.Errorf("%q: want part/of, such as 3/20 for the third of twenty, with 1 ≤ part ≤ of ≤ %d", text, maxShards)
	}
	return s, nil
}

// String returns part/of; empty for all of the work.
func (s Shard) String() string {
	if s.Of == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.Part, s.Of)
}

// Has reports whether the shard contains the task with this id. The zero value contains all tasks.
func (s Shard) Has(id string) bool {
	if s.Of == 0 {
		return true
	}
	sum := sha256.Sum256([]byte(id))
	return binary.BigEndian.Uint64(sum[:])%uint64(s.Of) == uint64(s.Part-1)
}

// Settings of a Task that name a run's machine and shard: runs of the same work may differ in
// them. TasksSetting is the number of tasks of the entire work.
const (
	ShardSetting   = "shard"
	TasksSetting   = "shard.tasks"
	MachineSetting = "machine"
)

// Whole returns the task that all its shards make together, wherever they run.
func (t Task) Whole() Task {
	settings := map[string]string{}
	for name, value := range t.Settings {
		if name != ShardSetting && name != TasksSetting && name != MachineSetting {
			settings[name] = value
		}
	}
	t.Settings = settings
	return t
}

// FailedKey returns the key of failure n of a task. The task's own key stays free for the
// result of another try.
func FailedKey(key string, n int) string { return fmt.Sprintf("%s%s%d", key, failedMark, n) }

const failedMark = " | failed "

// FailureOf returns the task of a key made by FailedKey; ok is false for another key.
func FailureOf(key string) (task string, ok bool) {
	i := strings.LastIndex(key, failedMark)
	if i < 0 {
		return "", false
	}
	_, err := strconv.Atoi(key[i+len(failedMark):])
	return key[:i], err == nil
}

// IsFailure reports whether a key was made by FailedKey.
func IsFailure(key string) bool {
	_, ok := FailureOf(key)
	return ok
}
