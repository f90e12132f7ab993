package native_test

import (
	"errors"
	"fmt"

	"github.com/hyfair/hyfair/sdk/native"
)

func Example() {
	var functions struct {
		version func() string `symbol:"Nothing_version"`
	}
	_, err := native.Open(native.Spec{Name: "Nothing", Files: []string{"libnothing-of-this-name.so"}, Hint: "it cannot be installed"}, &functions)
	var missing *native.NotFoundError
	fmt.Println(functions.version == nil, errors.As(err, &missing), missing.Spec.Name)

	// User data of a callback is a number that stands for a Go value.
	var receivers native.Handles[string]
	id := receivers.Add("a receiver")
	fmt.Println(receivers.Get(id))
	receivers.Remove(id)
	// Output:
	// true true Nothing
	// a receiver
}
