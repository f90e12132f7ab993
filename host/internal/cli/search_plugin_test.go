package cli

import (
	"testing"

	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
)

// shippedStrategies is a folder with these strategy plugins. A search starts all that
// there are, to see their presets: a test is quicker with the few that it needs.
func shippedStrategies(t *testing.T, names ...string) string {
	t.Helper()
	programs := map[string]string{}
	for _, name := range names {
		programs["hyfair-search-"+name] = "plugins/search-" + name
	}
	return plugintest.Folder(t, programs)
}
