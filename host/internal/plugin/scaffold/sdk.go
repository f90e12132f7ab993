package scaffold

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/hyfair/hyfair/host/internal/system/files"
)

// modulePath is the path of hyfair's module.
const modulePath = "github.com/hyfair/hyfair"

// findSDK returns the root of the hyfair tree to build against: the requested one, else
// the one that contains Dir or the working directory, else the one that contains the
// host's program, else the one it was built from. Empty if there is none on this machine.
func findSDK(r Request) (string, error) {
	if r.SDK != "" {
		root, err := filepath.Abs(r.SDK)
		if err == nil && !isTree(root) {
			err = fmt.Errorf("--sdk: %s does not hold the sources of hyfair, which have a go.mod of the module %s", root, modulePath)
		}
		return root, err
	}
	var from []string
	for _, dir := range []string{r.Dir, "."} {
		if abs, err := filepath.Abs(dir); err == nil && dir != "" {
			from = append(from, abs)
		}
	}
	if self, err := files.Program(); err == nil {
		from = append(from, filepath.Dir(self))
	}
	if _, source, _, ok := runtime.Caller(0); ok && filepath.IsAbs(source) {
		from = append(from, filepath.Dir(source))
	}
	for _, dir := range from {
		if root := upwards(dir); root != "" {
			return root, nil
		}
	}
	return "", nil
}

// upwards returns the hyfair tree that contains a folder, which need not exist; empty if
// there is none.
func upwards(dir string) string {
	for {
		if isTree(dir) {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}

func isTree(dir string) bool {
	text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return false
	}
	name, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	return strings.TrimSpace(name) == "module "+modulePath
}

// published returns the version of a host that was installed from a module proxy; empty
// for one built from a tree.
func published() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Path != modulePath || info.Main.Sum == "" {
		return ""
	}
	return info.Main.Version
}

// sdkModules are the modules from which a plugin and its conformance test are built. A
// go.mod has to name them all.
var sdkModules = []string{
	"github.com/ebitengine/purego", "github.com/fatih/color", "github.com/golang/protobuf", "github.com/hashicorp/go-hclog", "github.com/hashicorp/go-plugin",
	"github.com/hashicorp/yamux", "github.com/mattn/go-colorable", "github.com/mattn/go-isatty", "github.com/oklog/run",
	"golang.org/x/net", "golang.org/x/sys", "golang.org/x/text", "google.golang.org/genproto/googleapis/rpc",
	"google.golang.org/grpc", "google.golang.org/protobuf",
}

// module returns the project's go.mod and go.sum, for hyfair's version or for a tree. Those
// for a tree have its versions and checksums, so that nothing has to be downloaded: the
// modules of the tree are on this machine.
func (p *Project) module() (module, sums string, err error) {
	if !p.Replaces() {
		return fmt.Sprintf("module %s\n\nrequire %s %s\n", p.File, modulePath, p.version), "", nil
	}
	why, from := "This hyfair is a development build, whose version cannot be fetched: its\n// sdk is copied to the folder "+bundled+". With a released version in place of v0.0.0,\n// the line and the folder can go.", "./"+bundled
	if !p.Bundles() {
		why, from = "The sources of hyfair on this machine, as given by --sdk.", p.SDK
	}
	text, err := os.ReadFile(filepath.Join(p.SDK, "go.mod"))
	if err != nil {
		return "", "", err
	}
	checksums, err := os.ReadFile(filepath.Join(p.SDK, "go.sum"))
	if err != nil {
		return "", "", err
	}
	var b strings.Builder
	language, required := requirements(text)
	fmt.Fprintf(&b, `module %s

%s

require %s %s

// %s
replace %[3]s => %[6]s

// The modules of hyfair's sdk, in its versions.
require (
`, p.File, language, modulePath, cmp.Or(p.version, "v0.0.0"), why, quoted(from))
	for _, r := range required {
		fmt.Fprintf(&b, "\t%s // indirect\n", r)
	}
	b.WriteString(")\n")
	return b.String(), string(checksums), nil
}

// bundled is the folder of a project that holds a copy of the SDK.
const bundled = "hyfair"

// bundle copies the sources of a plugin in Go: the tree's sdk, the packages it shares with
// the host, and the licence, without tests and without the SDK of other languages.
func bundle(tree, to string) error {
	write := func(name string) error {
		text, err := os.ReadFile(filepath.Join(tree, name))
		if err == nil {
			err = os.MkdirAll(filepath.Dir(filepath.Join(to, name)), 0o755)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(to, name), text, 0o644)
		}
		return err
	}
	for _, folder := range []string{"sdk", "internal"} {
		err := fs.WalkDir(os.DirFS(filepath.Join(tree, folder)), ".", func(name string, d fs.DirEntry, err error) error {
			switch ending := path.Ext(name); {
			case err != nil:
				return err
			case d.IsDir() && (d.Name() == "testdata" || d.Name() == "python"):
				return fs.SkipDir
			case d.IsDir() || ending != ".go" && ending != ".s" || strings.HasSuffix(name, "_test.go"):
				return nil
			}
			return write(filepath.Join(folder, filepath.FromSlash(name)))
		})
		if err != nil {
			return err
		}
	}
	for _, name := range []string{"go.mod", "go.sum", "LICENSE"} {
		if err := write(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// requirements returns the lines of a go.mod on the language's version and on sdkModules,
// in order.
func requirements(text []byte) (language string, required []string) {
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		fields := strings.Fields(strings.TrimPrefix(strings.TrimSpace(lines.Text()), "require "))
		switch {
		case len(fields) == 2 && fields[0] == "go":
			language = "go " + fields[1]
		case len(fields) >= 2 && slices.Contains(sdkModules, fields[0]):
			required = append(required, fields[0]+" "+fields[1])
		}
	}
	slices.Sort(required)
	return language, required
}

// quoted returns a path, quoted for a go.mod if needed.
func quoted(path string) string {
	if strings.ContainsAny(path, " \t\"'`()[]{},") || strings.Contains(path, "//") {
		return fmt.Sprintf("%q", path)
	}
	return path
}
