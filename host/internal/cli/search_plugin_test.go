package cli

import (
	"testing"

	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
)

// shippedStrategies is a folder with the named strategy plugins only: a search starts every
// plugin to learn its presets, and fewer are faster.
func shippedStrategies(t *testing.T, names ...string) string {
	t.Helper()
	programs := map[string]string{}
	for _, name := range names {
		programs["hyfair-search-"+name] = "plugins/search-" + name
	}
	return plugintest.Folder(t, programs)
}
