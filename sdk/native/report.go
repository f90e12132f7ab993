package native

import "github.com/hyfair/hyfair/sdk"

// Bound is a library as a plugin binds it.
type Bound interface {
	comparable
	// File is the library's file as loaded.
	File() *Library
	// Version is the library's own word.
	Version() string
}

// Report fills an sdk.Library from what opening and binding came to: the
// library; nil and Open's error where there is none; both where there is one
// that cannot be used.
func Report[L Bound](lib L, err error) sdk.Library {
	var none L
	switch {
	case lib == none:
		return Missing(err)
	case err != nil:
		return lib.File().Unusable(err)
	}
	return lib.File().Describe(lib.Version())
}
