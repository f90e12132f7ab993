package cli

import (
	"bytes"
	"encoding/json"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/answer/check"
	"github.com/hyfair/hyfair/host/internal/question/modelfile"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/host/internal/system/files"
	"github.com/hyfair/hyfair/internal/certificate"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/space"
)

// loanCertificate writes a certificate about a corner of the loan study, where
// the gap of logits is at most the bound or is not.
func loanCertificate(t *testing.T, bound string) string {
	t.Helper()
	st, err := study.Load("../../../studies/loan", study.Options{})
	if err != nil {
		t.Fatal(err)
	}
	where, err := space.ParsePredicate(st.Space, "income=9..10,credit_rating=9,debt_ratio=0,years_employed=20..21,loan_amount=3,purpose=car,housing=own,age=30..35")
	if err != nil {
		t.Fatal(err)
	}
	region, rest, err := st.Space.Cut(st.Space.Whole(), where)
	if err != nil || rest != nil {
		t.Fatal(err, rest)
	}
	limit, _ := new(big.Rat).SetString(bound)
	path := filepath.Join(t.TempDir(), "loan.cert.gz")
	f, err := certificate.Create(path, certificate.Statement{
		Producer: "a test", Study: st.Name, Network: st.Model.(*relu.Network), Space: st.Space, Region: region,
		Notion: fairness.Logit, Epsilon: big.NewRat(1, 20),
		Claim: certificate.Claim{Kind: certificate.Gap, Bound: limit},
	})
	if err != nil {
		t.Fatal(err)
	}
	low, high := region.Clone().Box, region.Clone().Box
	low[0].Hi, high[0].Lo = 9, 10
	for _, l := range []*certificate.Leaf{{Box: low}, {Box: high, Enumerated: true}} {
		if err := f.Add(l); err != nil {
			t.Fatal(err)
		}
	}
	if err := files.Write(path, func(to *os.File) error { return f.Close(to) }); err != nil {
		t.Fatal(err)
	}
	return path
}

// checkRun runs hyfair check.
func checkRun(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	t.Setenv("HYFAIR_DATA", "")
	var out, errs bytes.Buffer
	code = Main(append([]string{"check"}, args...), strings.NewReader(""), &out, &errs)
	validJSON(t, append([]string{"check"}, args...), out.String())
	return out.String(), errs.String(), code
}

func TestCheckAccepts(t *testing.T) {
	path := loanCertificate(t, "1000")
	stdout, stderr, code := checkRun(t, path, "--study", "../../../studies/loan", "--json")
	if code != ExitDone {
		t.Fatalf("exit code %d: %s%s", code, stdout, stderr)
	}
	var got check.Result
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatal(err)
	}
	if !got.Accepted || got.Refusal != nil || got.Leaves != (check.Leaves{Checked: 2, Bounds: 1, Enumerated: 1}) ||
		got.Region.Combinations != 2*2*3 || got.Region.Points != "4" || got.Claim != (check.Claim{Kind: "gap", Bound: "1000"}) ||
		len(got.Claims) != 1 || got.Claims[0] != "every individual's gap (logit) is at most 1000" || len(got.Compared) != 2 {
		t.Errorf("%s", stdout)
	}
	stdout, _, code = checkRun(t, path)
	if code != ExitDone || !strings.HasPrefix(stdout, "accepted ") || !strings.Contains(stdout, "loan_amount=3") || !strings.Contains(stdout, "2 checked: 1 by bounds, 1 enumerated") {
		t.Errorf("exit code %d:\n%s", code, stdout)
	}
}

func TestCheckRefuses(t *testing.T) {
	path := loanCertificate(t, "0.0001")
	stdout, stderr, code := checkRun(t, path, "--json")
	var got check.Result
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatalf("%v: %s", err, stderr)
	}
	if code != ExitCheck || got.Accepted || got.Refusal == nil || got.Refusal.Leaf != 1 || got.Refusal.Line != 5 || stderr != "" {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
	stdout, _, code = checkRun(t, path)
	if code != ExitCheck || !strings.HasPrefix(stdout, "refused ") || !strings.Contains(stdout, "leaf 1 (line 5)") {
		t.Errorf("exit code %d:\n%s", code, stdout)
	}
}

// TestCheckComparesWithWhatIsAtHand: a certificate about other weights or another space is
// refused.
func TestCheckComparesWithWhatIsAtHand(t *testing.T) {
	path := loanCertificate(t, "1000")
	m, _, err := modelfile.Read("../../../studies/loan/network.json", modelfile.Choice{})
	if err != nil {
		t.Fatal(err)
	}
	n := m.(*relu.Network)
	n.Layers[0].Bias[0] = 0.5
	var text bytes.Buffer
	if err := modelfile.WriteJSON(&text, n); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "other.json")
	if err := os.WriteFile(other, text.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		code int
		why  string
	}{
		{[]string{"--model", "../../../studies/loan/network.json"}, ExitDone, "accepted"},
		{[]string{"--model", other}, ExitCheck, "bias"},
		{[]string{"--study", "../../../studies/loan", "--model", other}, ExitCheck, "bias"},
		{[]string{"--study", "../../../studies/loan", "--rules", "none"}, ExitCheck, "constraints forbid"},
		{[]string{"--study", "../question/study/testdata/people"}, ExitCheck, "not about"},
		{[]string{"--rules", "none"}, ExitUsage, "--study"},
		{[]string{"--model", "missing.json"}, ExitUsage, "missing.json"},
	} {
		stdout, stderr, code := checkRun(t, append([]string{path}, c.args...)...)
		if code != c.code || !strings.Contains(stdout+stderr, c.why) {
			t.Errorf("%v: exit code %d, want %d:\n%s%s", c.args, code, c.code, stdout, stderr)
		}
	}
}

func TestCheckOfWhatIsNoCertificate(t *testing.T) {
	for _, path := range []string{"../../../studies/loan/network.json", "missing.cert", "testdata"} {
		stdout, stderr, code := checkRun(t, path)
		if code != ExitUsage || stdout != "" || !strings.Contains(stderr, path) {
			t.Errorf("%s: exit code %d:\n%s%s", path, code, stdout, stderr)
		}
	}
}
