package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/answer/certify"
	"github.com/hyfair/hyfair/internal/tier"
)

// inParts is what scripts read of hyfair certify --partition --json.
type inParts struct {
	Verdict, Reason, Run string
	Partitions           struct {
		Total, Fair, Unfair, Undecided, Resumed int
		By                                      map[string]int
	}
}

func partsOf(t *testing.T, stdout string) (out inParts) {
	t.Helper()
	if err := json.Unmarshal([]byte(stdout), &out); err != nil {
		t.Fatalf("%v in %q", err, stdout)
	}
	return out
}

// TestPartitionResumes kills a question in parts with signal 9 while its solver
// does not come back from a part that it is needed for, and asks again.
func TestPartitionResumes(t *testing.T) {
	tier.NeedUsual(t)
	binary, plugins, study := program(t), rogueFolder(t, "rogue"), tenureStudy(t)
	journal := filepath.Join(t.TempDir(), "journal.db")
	// Only two different people show that the part of the shortest tenure is
	// unfair: no bound proves it fair, and no sample sees it.
	args := []string{"certify", study, "--solver", "rogue", "--set", "mode=deaf", "--relax", "years=1", "--partition", "1", "--all", "--epsilon", "0.1", "--json"}
	r := start(t, binary, plugins, append(args, "--seed", "4")...)
	r.solving(t, "rogue")
	r.Process.Kill()
	r.gone(t)
	if err := os.Rename(r.journal, journal); err != nil {
		t.Fatal(err)
	}
	for _, ending := range []string{"-wal", "-shm", "-live"} {
		os.Rename(r.journal+ending, journal+ending)
	}
	again := func(more ...string) inParts {
		t.Helper()
		code, stdout, stderr := command(t, plugins, append(append(args, "--journal", journal, "--timeout", "2s"), more...)...)
		if code != ExitDone {
			t.Fatalf("exit code %d: %s", code, stderr)
		}
		return partsOf(t, stdout)
	}
	first := again("--seed", "4", "--fresh")
	p := first.Partitions
	if p.Resumed != 0 || p.Undecided == 0 || p.Fair+p.Unfair == 0 || p.Fair+p.Unfair+p.Undecided != p.Total || p.Total != 30 {
		t.Fatalf("at once: %+v", first)
	}
	second := again("--seed", "4")
	if second.Partitions.Resumed != p.Fair+p.Unfair || second.Partitions.Fair != p.Fair || second.Partitions.Unfair != p.Unfair || second.Verdict != first.Verdict {
		t.Errorf("resumed: %+v, at once: %+v", second, first)
	}
	if second.Run == "" || second.Reason != "time limit" {
		t.Errorf("resumed: %+v", second)
	}
	if other := again("--seed", "5"); other.Partitions.Resumed != 0 {
		t.Errorf("another question took %d results", other.Partitions.Resumed)
	}
}

func TestPartitionUsage(t *testing.T) {
	plugins, study := rogueFolder(t, "rogue"), tenureStudy(t)
	for args, want := range map[string]string{
		"--all":                            "--partition",
		"--partition 0":                    "chunk size",
		"--partition group=2":              "protected",
		"--partition salary=2":             `no feature "salary"`,
		"--partition 2 --maximize":         "exclude each other",
		"--partition 2 --k 3":              "exclude each other",
		"--partition 2 --soft-timeout 0s":  "--soft-timeout",
		"--relax group=1":                  "protected",
		"--relax job=1":                    "categories",
		"--relax years=-1":                 "got the tolerance",
		"--relax years":                    "FEATURE=TOLERANCE",
		"--relax salary=3":                 `no feature "salary"`,
		"--k 2":                            "3 or more",
		"--k 3 --maximize":                 "exclude each other",
		"--k 3 --notion logit --epsilon 1": "bins",
		"--protected each,group":           "cannot be combined with others",
		"--protected salary":               "salary",
		"--encoding mps":                   "unknown encoding",
		"--bounds best":                    "unknown bounds",
	} {
		code, stdout, stderr := command(t, plugins, append([]string{"certify", study, "--solver", "rogue"}, strings.Fields(args)...)...)
		if code != ExitUsage || !strings.Contains(stderr, want) || stdout != "" {
			t.Errorf("%s: exit code %d, %q; want one that says %q", args, code, stderr, want)
		}
	}
}

// TestSeveralQuestions asks one question for each set of protected attributes.
func TestSeveralQuestions(t *testing.T) {
	plugins := bnbFolder(t)
	for word, want := range map[string]int{"each": 3, "subsets": 7} {
		code, stdout, stderr := command(t, plugins, "certify", "../../../studies/loan", "--solver", "bnb", "--protected", word, "--json")
		if code != ExitDone {
			t.Fatalf("%s: exit code %d: %s", word, code, stderr)
		}
		var set struct {
			Verdict   string
			Questions []struct {
				Verdict   string
				Protected []string
			}
		}
		if err := json.Unmarshal([]byte(stdout), &set); err != nil {
			t.Fatal(err)
		}
		if set.Verdict != "unfair" || len(set.Questions) != want {
			t.Errorf("%s: %s", word, stdout)
		}
		for i, q := range set.Questions {
			if i > 0 && len(q.Protected) < len(set.Questions[i-1].Protected) {
				t.Errorf("%s: %v after %v", word, q.Protected, set.Questions[i-1].Protected)
			}
		}
	}
}

// TestSeveralQuestionsInTime: a question that takes all the time it is given leaves the
// others theirs.
func TestSeveralQuestionsInTime(t *testing.T) {
	tier.NeedUsual(t)
	code, stdout, stderr := command(t, rogueFolder(t, "rogue"), "certify", "../../../studies/loan", "--solver", "rogue", "--set", "mode=patient",
		"--protected", "each", "--climb=false", "--timeout", "3s", "--json")
	var set certify.Results
	if err := json.Unmarshal([]byte(stdout), &set); err != nil || code != ExitDone {
		t.Fatalf("exit code %d, %v: %s", code, err, stderr)
	}
	if len(set.Questions) != 3 {
		t.Fatalf("%d questions: %s", len(set.Questions), stderr)
	}
	for _, q := range set.Questions {
		if q.Reason != "time limit" || q.Solves != 1 {
			t.Errorf("%s: %s, solver asked %d times", q.Protected, q.Reason, q.Solves)
		}
	}
}
