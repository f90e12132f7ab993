package question

import "testing"

// A command asks what the spec asks, as a shell takes it.
func TestCommand(t *testing.T) {
	t.Setenv("HYFAIR_DATA", "/data")
	s := Spec{Study: "my study.yaml", Data: "/data", Model: "AC-1", Notion: "decision", K: 5, Relax: []string{"hours=5"}, Scope: Scope{
		Protected: []string{"sex", "race"}, Where: "age=30..39,work=a|b", Rules: []string{"none"}, Epsilon: "1/20",
	}}
	const scope = " 'my study.yaml' --model AC-1 --protected sex,race --where 'age=30..39,work=a|b' --rules none --epsilon 1/20"
	if got, want := s.Command("search", false, "--mode", "fast"), "hyfair search"+scope+" --mode fast"; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	s.Data = "/other"
	if got, want := s.Command("certify", true), "hyfair certify 'my study.yaml' --data /other"+scope[len(" 'my study.yaml'"):]+" --notion decision --k 5 --relax hours=5"; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
