package cli

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/hyfair/hyfair/host/internal/answer/draft"
	"github.com/hyfair/hyfair/host/internal/view"
)

// askAbout asks the user what a draft would guess. An empty line accepts the guess; only columns
// that the user names are protected.
func (a *App) askAbout(r *draft.Request) error {
	guess := *r
	guess.Protected = nil
	found, err := draft.Guess(guess)
	if err != nil {
		return err
	}
	in := bufio.NewScanner(a.Stdin)
	ask := func(what, have string) string {
		fmt.Fprintf(a.Stderr, "%s [%s]: ", view.OneLine(what), view.OneLine(have))
		if in.Scan() && strings.TrimSpace(in.Text()) != "" {
			return strings.TrimSpace(in.Text())
		}
		return have
	}
	if r.Label == "" && found.Label != "" {
		r.Label = ask("column of the label", found.Label)
	}
	if have := strings.Join(found.Positive, ","); len(r.Positive) == 0 && r.Label == found.Label && have != "" {
		if answer := ask("its value that counts as 1", have); answer != have {
			r.Positive = []string{answer}
		}
	}
	if len(r.Protected) == 0 {
		what := "columns to protect"
		if len(found.Candidates) > 0 {
			what += ", such as " + strings.Join(found.Candidates, ",")
		}
		for name := range strings.SplitSeq(ask(what, ""), ",") {
			if name = strings.TrimSpace(name); name != "" {
				r.Protected = append(r.Protected, name)
			}
		}
	}
	return in.Err()
}
