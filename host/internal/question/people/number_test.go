package people

import (
	"strings"
	"testing"
)

// Numbers are read in a spreadsheet's notation if the study declares it, with complete groups of thousands
// only.
func TestNumbersAsSpreadsheetsWriteThem(t *testing.T) {
	plain, comma := &Format{}, &Format{Decimal: ','}
	german, english := &Format{Decimal: ',', Thousands: '.'}, &Format{Thousands: ','}
	french, swiss := &Format{Decimal: ',', Thousands: ' '}, &Format{Thousands: '\''}
	for _, c := range []struct {
		format *Format
		cell   string
		want   float64
		ok     bool
	}{
		{nil, "1.5", 1.5, true}, {plain, "1,5", 0, false}, {plain, "-0", 0, true},
		{comma, "3448,36", 3448.36, true}, {comma, "-,5", -0.5, true}, {comma, "7", 7, true}, {comma, "1.5", 0, false}, {comma, "1,5e2", 150, true}, {comma, "1,2,3", 0, false},
		{german, "1.234,5", 1234.5, true}, {german, "-1.234.567", -1234567, true}, {german, "1234,5", 1234.5, true}, {german, "1.23,5", 0, false}, {german, "12.5", 0, false}, {german, "1..234", 0, false}, {german, ".234", 0, false},
		{english, "1,234.5", 1234.5, true}, {english, "1,23", 0, false}, {english, "1234.5", 1234.5, true},
		{french, "1 234,5", 1234.5, true}, {french, "1\u202f234\u00a0567", 1234567, true}, {french, "1 2", 0, false},
		{swiss, "1'234.50", 1234.5, true}, {swiss, "NaN", 0, false}, {english, "1_0", 0, false}, {swiss, "", 0, false},
	} {
		if got, ok := c.format.Number(c.cell); ok != c.ok || ok && got != c.want {
			t.Errorf("%+v: %q is %v, %v; want %v, %v", c.format, c.cell, got, ok, c.want, c.ok)
		}
	}
}

// A spreadsheet's file: a separator line, decimal commas, and missing-value marks by column; a mark of one column is
// a value in another.
func TestSpreadsheets(t *testing.T) {
	text := "\ufeffsep=;\r\npay;kids;note\r\n1.234,5;0;k.A.\r\n7;2;0\r\nk.A.;1;x\r\n"
	spec := &Spec{
		Files:    []File{{Path: file(t, text)}},
		Format:   Format{Delimiter: ';', Decimal: ',', Thousands: '.', MissingIn: map[string][]string{"pay": {"k.A."}, "kids": {"0"}}, Drop: []string{"kids"}},
		Features: []Column{number("pay"), number("kids")},
	}
	d, err := Read(spec)
	if err != nil || len(d.Points) != 2 || d.Points[0][0] != 1234.5 || d.Points[1][0] != 7 || d.Dropped != 1 {
		t.Fatalf("%v, %v", d, err)
	}
	if _, line := d.Where(1); line != 4 {
		t.Errorf("line %d", line)
	}
	s, err := NewStream(spec, strings.NewReader(text), "rows")
	if err != nil {
		t.Fatal(err)
	}
	point := make([]float64, 2)
	if line, err := s.Next(point); err != nil || line != 3 || point[0] != 1234.5 {
		t.Errorf("%v, line %d: %v", point, line, err)
	}
	for says, format := range map[string]Format{
		`"1.234,5" is not a number; to read it as a number, add decimal: ",", thousands: "."`: {Delimiter: ';'},
		`column "age" has marks of missing values but does not exist`:                         {Delimiter: ';', MissingIn: map[string][]string{"age": {"?"}}},
	} {
		bad := *spec
		bad.Format = format
		if _, err := Read(&bad); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %s", err, says)
		}
	}
	for _, text := range []string{"\xff\xfea\x00,\x00b\x00\n\x00", "\xfe\xff\x00a\x00,", "a\x00,\x00b\x00"} {
		if _, err := Read(&Spec{Files: []File{{Path: file(t, text)}}, Features: []Column{number("a")}}); err == nil || !strings.Contains(err.Error(), "iconv -f utf-16 -t utf-8") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
