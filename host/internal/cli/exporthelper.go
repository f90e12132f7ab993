package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hyfair/hyfair/host/internal/question/modelfile"
	"github.com/hyfair/hyfair/host/internal/view"
)

func init() { commands = append(commands, newExportHelper) }

func newExportHelper(app *App) *cobra.Command {
	return &cobra.Command{
		Use:   "export-helper sklearn",
		Short: "Print a script that writes scikit-learn's models as files for hyfair",
		Long: `Print a short Python script that writes an MLPClassifier or a LogisticRegression of
scikit-learn, alone or after StandardScaler in a Pipeline, as JSON that hyfair reads.
scikit-learn's own files are pickles, which run code when they are opened, so hyfair
does not read them. The script needs nothing but scikit-learn; with skl2onnx more
models can be exported, as ONNX.`,
		Example: `  hyfair export-helper sklearn > to_hyfair.py
  python to_hyfair.py model.joblib network.json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || args[0] != "sklearn" {
				return usage(fmt.Errorf("export-helper takes one word, sklearn, got %q; other libraries export ONNX or .keras themselves (docs/user/your-model.md)", strings.Join(args, " ")))
			}
			return nil
		},
		ValidArgs: []string{"sklearn"},
		RunE: func(*cobra.Command, []string) error {
			return app.show(&exportHelper{"sklearn", modelfile.ExportSklearn})
		},
	}
}

// exportHelper is the JSON object of hyfair export-helper.
type exportHelper struct {
	// The library: sklearn.
	Library string `json:"library"`
	// The script.
	Script string `json:"script"`
}

// Document shows the script unchanged.
func (h *exportHelper) Document() *view.Document {
	return view.Of(view.Paragraph(strings.Split(strings.TrimSuffix(h.Script, "\n"), "\n")))
}
