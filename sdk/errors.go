package sdk

import (
	"errors"
	"fmt"

	"github.com/hyfair/hyfair/sdk/model"
)

// These errors mean that there is no answer; a limit reached is a result, not an
// error. Each keeps its identity over the wire: errors.Is works on both sides.
var (
	// ErrUnsupported: the plugin does not serve this form, goal or capability.
	ErrUnsupported = errors.New("unsupported")
	// ErrInvalidProblem: the problem is malformed.
	ErrInvalidProblem = errors.New("invalid problem")
	// ErrInvalidOption: an option is unknown or its value is out of range.
	ErrInvalidOption = errors.New("invalid option")
	// ErrIncompatible: the two sides cannot work together, or a library that the
	// plugin needs is missing or too old.
	ErrIncompatible = errors.New("incompatible")
	// ErrPluginExited: the plugin's process has ended, or did not start.
	ErrPluginExited = errors.New("plugin exited")
)

// Lacks returns the error for a model without a capability that is needed. It wraps
// ErrUnsupported.
func Lacks(m model.Model, capability string) error {
	return fmt.Errorf("%w: models of the family %s have no %s", ErrUnsupported, m.Family(), capability)
}
