package record

// Store keeps results of tasks and of parts, so that work that was broken off goes on
// where it was: journal.Run, or what stands for it. Done gives the JSON of a result that
// was stored by Complete, ever. Complete stores once for each key, at once and for good.
type Store interface {
	Done(key string) (result []byte, seconds float64, ok bool)
	Complete(key string, result any, seconds float64, events ...Event) error
}
