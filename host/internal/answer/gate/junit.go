package gate

import (
	"encoding/xml"
	"fmt"
	"io"
	"time"
)

// Suite is a command's gates, to be written as JUnit's XML, which pipelines read.
type Suite struct {
	// Name is the command, and About its subject.
	Name, About string
	Begun       time.Time
	Seconds     float64
	// Asked lists the gates. A gate without a Check had no result to check; Err says why, or
	// what else went wrong.
	Asked  []Gate
	Checks []Check
	Err    error
}

type junitSuites struct {
	XMLName xml.Name   `xml:"testsuites"`
	Suite   junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name      string      `xml:"name,attr"`
	Tests     int         `xml:"tests,attr"`
	Failures  int         `xml:"failures,attr"`
	Errors    int         `xml:"errors,attr"`
	Skipped   int         `xml:"skipped,attr"`
	Time      string      `xml:"time,attr"`
	Timestamp string      `xml:"timestamp,attr"`
	Cases     []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string       `xml:"classname,attr"`
	Name    string       `xml:"name,attr"`
	Time    string       `xml:"time,attr"`
	Failure *junitReason `xml:"failure"`
	Error   *junitReason `xml:"error"`
	Output  string       `xml:"system-out,omitempty"`
}

type junitReason struct {
	Type    string `xml:"type,attr"`
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// WriteJUnit writes a test case for each check. A failed check is a failure; an undecided one
// is an error, as is the command's error.
func (s *Suite) WriteJUnit(w io.Writer) error {
	seconds := fmt.Sprintf("%.3f", s.Seconds)
	out := junitSuite{Name: s.Name, Time: seconds, Timestamp: s.Begun.UTC().Format("2006-01-02T15:04:05"), Cases: []junitCase{}}
	add := func(name string, outcome Outcome, kind, text string) {
		c := junitCase{Class: s.About, Name: name, Time: seconds}
		reason := &junitReason{kind, text, name + ": " + text}
		switch out.Tests++; outcome {
		case Passed:
			c.Output = text
		case Failed:
			c.Failure = reason
			out.Failures++
		default:
			c.Error = reason
			out.Errors++
		}
		out.Cases = append(out.Cases, c)
	}
	checked := map[string]bool{}
	for _, c := range s.Checks {
		checked[c.Gate] = true
		add(c.Name(), c.Outcome, string(c.Outcome), c.Text)
	}
	for _, g := range s.Asked {
		if !checked[g.Name] {
			add(g.String(), Undecided, string(Undecided), "there is no result to check")
		}
	}
	if s.Err != nil {
		add("the command itself", Undecided, "error", s.Err.Error())
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(junitSuites{Suite: out}); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}
