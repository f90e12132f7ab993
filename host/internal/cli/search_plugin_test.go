package cli

import (
	"testing"

	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
)

// shippedStrategies builds the strategy plugins into a folder.
func shippedStrategies(t *testing.T) string {
	t.Helper()
	programs := map[string]string{}
	for _, name := range []string{"search-rw", "search-sa", "search-climb", "search-ga", "search-grad"} {
		programs["hyfair-"+name] = "plugins/" + name
	}
	return plugintest.Folder(t, programs)
}
