package crosscheck

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/audit"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/problem"
)

// TestAuditOfClasses: of a network or a forest of several classes the audit of rows says what enumeration says of each: the own class, the
// classes of copies that differ in both attributes and in one, and of groups the share that gets each class.
func TestAuditOfClasses(t *testing.T) {
	const width, groups = 4, 3
	r := rand.New(rand.NewPCG(4, 44))
	changes, ties := 0, 0
	for i := range 24 {
		var n interface {
			classes() int
			winners(x [3]int) []int
			file(i int) (name, text string)
		} = drawClassNet(r)
		if i%3 == 2 {
			n = drawClassForest(r)
		}
		classes, dir := n.classes(), t.TempDir()
		name, file := n.file(i)
		var data strings.Builder
		data.WriteString("a,b,g\n")
		var rows [][3]int
		for range 60 {
			x := [3]int{r.IntN(width), r.IntN(width), r.IntN(groups)}
			rows = append(rows, x)
			fmt.Fprintf(&data, "%d,%d,%c\n", x[0], x[1], "xyz"[x[2]])
		}
		for name, text := range map[string]string{
			name: file, "rows.csv": data.String(),
			"study.yaml": fmt.Sprintf("model: {file: %s, class: %s}\noutput: %s\nnotion: decision\ndecision: {yes: low}\ndata: {files: [rows.csv]}\nfeatures: {a: {integer: 0..%d}, b: {integer: 0..%d}, g: {categories: [x, y, z]}}\nprotected: {b: all, g: all}\n",
				name, []string{"any", "1"}[i/2%2], []string{"score", "logit"}[i%2], width-1, width-1),
		} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		s := &session.Session{Threads: 1, Jobs: 1, Begun: time.Now()}
		got, err := audit.Answer(t.Context(), s, audit.Request{Spec: question.Spec{Study: dir}, Top: -1, Groups: true, MinShare: "0", Out: filepath.Join(dir, "out.csv")})
		if err != nil {
			t.Fatal(err)
		}
		if got.Decision != nil {
			t.Errorf("several classes, of which none is favourable, have a decision rule: %+v", got.Decision)
		}
		class := func(x [3]int) int {
			if all := n.winners(x); len(all) == 1 {
				return all[0]
			}
			ties++
			return classes
		}
		others := func(x [3]int, b, g bool) (out []int) {
			for v := range width {
				for w := range groups {
					y := x
					if b {
						y[1] = v
					}
					if g {
						y[2] = w
					}
					if c := class(y); c != class(x) && !slices.Contains(out, c) {
						out = append(out, c)
					}
				}
			}
			slices.Sort(out)
			return out
		}
		for k, by := range [][2]bool{{true, true}, {true, false}, {false, true}} {
			want := make([]audit.Class, classes+1)
			for c := range want {
				want[c] = audit.Class{Class: c, Enter: make([]int, classes+1)}
			}
			for _, x := range rows {
				c := &want[class(x)]
				c.People++
				all := others(x, by[0], by[1])
				if len(all) > 0 {
					c.Leave++
				}
				for _, to := range all {
					c.Enter[to]++
				}
			}
			have := got.Classes.Classes
			if k > 0 {
				have = got.Classes.Attributes[k-1].Classes
			}
			for c := range want {
				if want[c].People > 0 {
					want[c].LeaveShare = float64(want[c].Leave) / float64(want[c].People)
				}
				if c == len(have) && want[c].People == 0 {
					continue // no ties
				}
				one := have[c]
				one.Rates = nil
				if fmt.Sprint(one) != fmt.Sprint(want[c]) {
					t.Fatalf("%d, attributes %v: %+v, want %+v", i, by, one, want[c])
				}
				changes += want[c].Leave
			}
		}
		for row := range got.Rows {
			x := rows[row.Index]
			if *row.Class != class(x) || !slices.Equal(row.Enters, others(x, true, true)) || row.K != 1+len(row.Enters) || row.Flips != (len(row.Enters) > 0) || row.N != width*groups {
				t.Fatalf("%d: %+v of %v", i, row, x)
			}
		}
		for c := range classes {
			for g, group := range got.Classes.Classes[c].Rates.Attributes[1].Groups {
				people, hits := 0, 0
				for _, x := range rows {
					if x[2] == g {
						people++
						if class(x) == c {
							hits++
						}
					}
				}
				if group.People != people || group.Selection.Hits != hits {
					t.Errorf("%d, class %d, %s: %d of %d, want %d of %d", i, c, group.Label, group.Selection.Hits, group.People, hits, people)
				}
			}
		}
		if _, ok := n.(classForest); ok { // other commands refuse it by name
			_, one := question.Open(question.Spec{Study: dir})
			_, _, each := question.ByClass(question.Spec{Study: dir}, problem.Decide, s.Note)
			for _, err := range []error{one, each} {
				if err == nil || !strings.Contains(err.Error(), "each with a sum of trees, about which hyfair audit answers") {
					t.Errorf("%d: %v", i, err)
				}
			}
		}
		if i > 0 {
			continue
		}
		var text strings.Builder
		if err := got.Page().Write(&text, view.Text, view.Options{}); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"would get another class with another b or g.", "Classes that people leave and enter with another b or g", "The same with another g", "Classes by g", "The people whose copies get the most different classes"} {
			if !strings.Contains(text.String(), want) {
				t.Errorf("no %q in\n%s", want, text.String())
			}
		}
		if _, err := json.Marshal(got); err != nil {
			t.Error(err)
		}
		for _, refused := range []audit.Request{{Thresholds: "0.3"}, {Favourable: "negative"}, {Spec: question.Spec{Notion: "score"}}, {Spec: question.Spec{Scope: question.Scope{Epsilon: "0.1"}}}} {
			refused.Study = dir
			if _, err := audit.Answer(t.Context(), s, refused); err == nil || !strings.Contains(err.Error(), "several classes") {
				t.Errorf("%+v: %v", refused, err)
			}
		}
	}
	if changes < 500 || ties < 50 {
		t.Errorf("only %d changes, and %d ties", changes, ties)
	}
}
