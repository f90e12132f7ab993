package record

// Store keeps results of tasks and parts, so that interrupted work can be resumed. Done
// returns the JSON of a stored result. Complete stores a key's result once, atomically and durably.
type Store interface {
	Done(key string) (result []byte, seconds float64, ok bool)
	Complete(key string, result any, seconds float64, events ...Event) error
}
