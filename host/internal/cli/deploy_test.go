package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/internal/tier"
)

// root is the repository's folder.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// deployed is a file of the folder deploy.
func deployed(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root(t), "deploy", name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// manifest is what the tests read of a manifest for Kubernetes.
type manifest struct {
	Spec struct {
		Completions, Replicas int
		Template              struct {
			Spec struct {
				Containers []struct {
					Command, Args []string
					Env           []struct{ Name, Value string }
				}
			}
		}
	}
}

func kubernetes(t *testing.T, name string) (m manifest) {
	t.Helper()
	if err := yaml.Unmarshal(deployed(t, name), &m); err != nil || len(m.Spec.Template.Spec.Containers) != 1 {
		t.Fatal(name, err)
	}
	return m
}

// The script for Slurm, and the Job for Kubernetes, do a shard in each task of an array; with stand-ins for
// what starts them, they make the table of one machine.
func TestArraysOfShards(t *testing.T) {
	tier.NeedLong(t)
	binary, plugins := program(t), plugintest.Folder(t, map[string]string{"hyfair-search-rw": "plugins/search-rw"})
	folder := t.TempDir()
	text := fmt.Sprintf("studies: [{study: %q}]\nsolver: none\nbudget: 300it\nruns: 6\nstrategies: [{name: rw}]\n", filepath.Join(root(t), "studies", "loan"))
	if err := os.Mkdir(filepath.Join(folder, "studies"), 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(folder, "studies", "rq2.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(binary, filepath.Join(folder, "hyfair")); err != nil {
		t.Skipf("SKIPPED %s: %v", t.Name(), err)
	}
	table := func(journal string, args ...string) string {
		t.Helper()
		code, stdout, stderr := startWith(t, binary, plugins, journal, append([]string{"ablate", "--columns", untimed}, args...)...).wait(t)
		if code != ExitDone {
			t.Fatalf("exit code %d: %s", code, stderr)
		}
		return timeless(stdout)
	}
	want := table(filepath.Join(folder, "one.db"), file)
	run := func(dir string, env []string, name string, args ...string) {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Env = dir, append(append(os.Environ(), "PATH="+folder+":"+os.Getenv("PATH"), "HYFAIR_PLUGIN_DIR="+plugins, "SHARDS="), env...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	for name, array := range map[string]func(dir string) (shards int){
		"slurm.sh": func(dir string) int {
			sbatch, err := filepath.Abs("testdata/sbatch")
			if err != nil {
				t.Fatal(err)
			}
			run(dir, nil, "sh", sbatch, "--array=1-3", filepath.Join(root(t), "deploy", "slurm.sh"), "ablate", "../studies/rq2.yaml")
			return 3
		},
		"kubernetes-shards.yaml": func(dir string) int {
			m := kubernetes(t, "kubernetes-shards.yaml")
			c := m.Spec.Template.Spec.Containers[0]
			var env []string
			for _, e := range c.Env {
				env = append(env, e.Name+"="+e.Value)
			}
			if !strings.Contains(strings.Join(env, "\n"), fmt.Sprintf("SHARDS=%d", m.Spec.Completions)) {
				t.Errorf("%d completions, but %v", m.Spec.Completions, env)
			}
			command := append(c.Command, c.Args...)
			if strings.Contains(strings.Join(command, " "), "$(") {
				t.Errorf("%v: Kubernetes expands that", command)
			}
			if err := os.Symlink("../studies", filepath.Join(dir, "studies")); err != nil {
				t.Fatal(err)
			}
			for i := range m.Spec.Completions {
				run(dir, append(env, fmt.Sprintf("JOB_COMPLETION_INDEX=%d", i)), command[0], command[1:]...)
			}
			return m.Spec.Completions
		},
	} {
		dir := filepath.Join(folder, name)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		n := array(dir)
		var shards []string
		for i := range n {
			shards = append(shards, filepath.Join(dir, fmt.Sprintf("shard%d.db", i+1)))
		}
		all := filepath.Join(dir, "all.db")
		r := merged(t, all, shards...).Runs
		if len(r) != 1 || r[0].Tasks != 6 || r[0].State != "finished" || len(r[0].Shards) != n {
			t.Fatalf("%s: %+v", name, r)
		}
		if got := table(all, "--from", r[0].Name); got != want || len(want) < 100 {
			t.Errorf("%s:\n%s\nof one machine:\n%s", name, got, want)
		}
	}
}

// lacking skips a test of the long tier that misses something, or fails it in CI.
func lacking(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(what)
	}
	t.Skipf("SKIPPED %s: %s", t.Name(), what)
}

// The manifests are of Kubernetes' own schemas, which know no field that is not theirs.
func TestManifests(t *testing.T) {
	tier.NeedLong(t)
	folder := filepath.Join(root(t), ".deps", "kubernetes")
	definitions, err := os.ReadFile(filepath.Join(folder, "_definitions.json"))
	if err != nil {
		lacking(t, "Kubernetes' schemas are missing: scripts/setup.sh kubernetes")
	}
	for name, kind := range map[string]string{"kubernetes-shards.yaml": "job-batch-v1.json", "kubernetes-workers.yaml": "deployment-apps-v1.json"} {
		own, err := os.ReadFile(filepath.Join(folder, kind))
		if err != nil {
			t.Fatal(err)
		}
		compiler := jsonschema.NewCompiler()
		for at, text := range map[string][]byte{"https://kubernetes.io/api/_definitions.json": definitions, "https://kubernetes.io/api/kind.json": own} {
			schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
			if err == nil {
				err = compiler.AddResource(at, schema)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		schema, err := compiler.Compile("https://kubernetes.io/api/kind.json")
		if err != nil {
			t.Fatal(err)
		}
		valid := func(text []byte) error {
			j, err := yaml.YAMLToJSON(text)
			if err != nil {
				t.Fatal(name, err)
			}
			v, err := jsonschema.UnmarshalJSON(bytes.NewReader(j))
			if err != nil {
				t.Fatal(name, err)
			}
			return schema.Validate(v)
		}
		text := deployed(t, name)
		if err := valid(text); err != nil {
			t.Error(err)
		}
		if err := valid(bytes.Replace(text, []byte("containers:"), []byte("container:"), 1)); err == nil {
			t.Errorf("%s: a field that is wrong passes", name)
		}
	}
}

// systemd has nothing to say against the unit.
func TestUnit(t *testing.T) {
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Skipf("SKIPPED %s: %v", t.Name(), err)
	}
	text := bytes.Replace(deployed(t, "hyfair-fleet@.service"), []byte("/usr/local/bin/hyfair "), []byte(program(t)+" "), 1)
	for _, what := range []string{"serve", "join"} {
		unit := filepath.Join(t.TempDir(), "hyfair-fleet@"+what+".service")
		if err := os.WriteFile(unit, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command("systemd-analyze", "verify", unit).CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%v: %s", err, out)
		}
	}
}

// TestImage runs the Containerfile, each stage on a layer over this machine's own files in place of its base image: the
// result is small, belongs to an unprivileged user, and has all solvers.
func TestImage(t *testing.T) {
	tier.NeedLong(t)
	if os.Getuid() != 0 || exec.Command("unshare", "-m", "true").Run() != nil {
		lacking(t, "layers of files need Linux, root and unshare")
	}
	folder := t.TempDir()
	script, answers := imageScript(t, folder)
	cmd := exec.Command("unshare", "-m", "--propagation", "private", "sh", "-euc", script)
	cmd.Dir = root(t)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, script, stderr.Bytes())
	}
	var size int64
	err := filepath.WalkDir(filepath.Join(answers, "u", "usr", "local"), func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			var i fs.FileInfo
			if i, err = d.Info(); err == nil {
				size += i.Size()
			}
		}
		return err
	})
	if err != nil || size < 50e6 || size > 260e6 {
		t.Errorf("%d bytes, %v", size, err)
	}
	text, err := os.ReadFile(filepath.Join(answers, "doctor.json"))
	if err != nil {
		t.Fatal(err)
	}
	var doctor struct {
		Plugins []struct {
			Name   string
			Usable bool
		}
	}
	if err := json.Unmarshal(text, &doctor); err != nil {
		t.Fatal(err)
	}
	if len(doctor.Plugins) < 10 {
		t.Errorf("%+v", doctor)
	}
	for _, p := range doctor.Plugins {
		if !p.Usable {
			t.Errorf("%s cannot be used in the image", p.Name)
		}
	}
	t.Logf("%d MB, %+v", size>>20, doctor)
}

var continued = regexp.MustCompile(`\\\n`)

// imageScript is the Containerfile as a script, and the folder in which it leaves the last stage's layer, and what hyfair says there.
func imageScript(t *testing.T, folder string) (script, last string) {
	t.Helper()
	stages, stage, root, where, user, env := map[string]string{}, 0, "", "/", "", []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/go/bin", "HOME=/root"}
	var out strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&out, format+"\n", args...) }
	inside := func(command string) string {
		var vars []string
		for _, e := range env {
			vars = append(vars, strconv.Quote(e))
		}
		return fmt.Sprintf("chroot %s %s env -i %s sh -euc %s", user, root, strings.Join(vars, " "), shellQuoted("cd "+where+"\n"+command))
	}
	line("mkdir %s/context && git ls-files -z | xargs -0 cp -aP --parents -t %[1]s/context", folder)
	var entry []string
	for l := range strings.Lines(continued.ReplaceAllString(string(deployed(t, "Containerfile")), "")) {
		l = strings.TrimSpace(l)
		if l == "" || l[0] == '#' {
			continue
		}
		word, rest, _ := strings.Cut(l, " ")
		args := strings.Fields(rest)
		switch word {
		case "FROM":
			stage++
			last = filepath.Join(folder, strconv.Itoa(stage))
			root, where, user = last+"/root", "/", ""
			if len(args) == 3 && args[1] == "AS" {
				stages[args[2]] = root
			}
			line("mkdir -p %s/u %[1]s/w %s && mount -t overlay overlay -o lowerdir=/,upperdir=%[1]s/u,workdir=%[1]s/w %s", last, root, root)
			line("mount --rbind /dev %s/dev && mount -t proc proc %[1]s/proc", root)
		case "WORKDIR":
			where = args[0]
			line("mkdir -p %s%s", root, where)
		case "COPY":
			from := folder + "/context"
			if s, ok := strings.CutPrefix(args[0], "--from="); ok {
				from, args = stages[s], args[1:]
			}
			to := args[1]
			if !strings.HasPrefix(to, "/") {
				to = where + "/" + to
			}
			if from == "" {
				t.Fatalf("%s: no such stage", l)
			}
			line("mkdir -p %s%s && cp -aP %s/%s/. %[1]s%[2]s", root, to, from, args[0])
		case "ENV":
			env = append(env, args...)
		case "RUN":
			line("%s >&2", inside(rest))
		case "USER":
			user = "--userspec=" + args[0]
		case "ENTRYPOINT":
			if err := json.Unmarshal([]byte(rest), &entry); err != nil {
				t.Fatal(l, err)
			}
		default:
			t.Fatalf("the test does not know %s", word)
		}
	}
	if user == "" || user == "--userspec=0" || len(entry) == 0 {
		t.Fatalf("runs %v as %q", entry, user)
	}
	line("cp -R studies/loan %s/tmp/loan-of-test", root)
	line("%s >%s/doctor.json", inside(strings.Join(entry, " ")+" doctor --json"), last)
	line("%s >&2", inside(strings.Join(entry, " ")+" certify /tmp/loan-of-test --solver highs --check unfair"))
	return out.String(), last
}

func shellQuoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
