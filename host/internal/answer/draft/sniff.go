package draft

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/hyfair/hyfair/host/internal/question/people"
	"github.com/hyfair/hyfair/host/internal/system/files"
)

const headBytes = 256 << 10

// sniff determines the file's format from its beginning.
func (t *table) sniff(names []string) error {
	head, whole, err := t.head()
	if err != nil {
		return fmt.Errorf("%s: %w", t.path, err)
	}
	if people.IsTable(head) {
		if names != nil {
			return fmt.Errorf("%s has names of columns: --columns is for a file that does not", t.path)
		}
		t.header, t.format.Delimiter = true, ','
		return nil
	}
	rows, err := t.divide(head, whole)
	if err != nil {
		return fmt.Errorf("%s: %w", t.path, err)
	}
	blanks, cells := 0, 0
	for _, row := range rows {
		for _, cell := range row[min(1, len(row)-1):] {
			cells++
			if strings.HasPrefix(cell, " ") {
				blanks++
			}
		}
	}
	if t.format.Trim = t.trim && padded(rows[1:]) || 2*blanks > cells; t.format.Trim {
		for _, row := range rows {
			for i := range row {
				row[i] = strings.TrimSpace(row[i])
			}
		}
	}
	t.notation(rows)
	return t.findNames(rows, names)
}

// head returns the file's beginning; whole: it is the entire file.
func (t *table) head() (head string, whole bool, err error) {
	file, _, err := files.Open(t.path)
	if err != nil {
		return "", false, files.Reason(err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, headBytes))
	if err != nil {
		return "", false, err
	}
	if people.IsTable(string(text)) {
		return string(text), false, nil
	}
	if err := people.Foreign(string(text)); err != nil {
		return "", false, err
	}
	if len(text) == 0 {
		return "", false, errors.New("the file is empty")
	}
	head = strings.TrimPrefix(string(text), "\ufeff")
	if strings.Contains(head, "\r") && !strings.Contains(head, "\n") {
		return "", false, errors.New("its lines end in a carriage return alone: convert the file (tr '\\r' '\\n')")
	}
	return head, len(text) < headBytes, nil
}

// divide determines the delimiter, the one that gives the most cells, and the rows of the head.
func (t *table) divide(head string, whole bool) (rows [][]string, err error) {
	delimiters := []rune{',', ';', '\t', '|'}
	if separator := people.Separator(head); separator != 0 {
		_, head, _ = strings.Cut(head, "\n")
		delimiters = []rune{separator}
	}
	if !whole {
		if head = head[:strings.LastIndexByte(head, '\n')+1]; head == "" {
			return nil, fmt.Errorf("the first line has more than %d kB: is it a CSV file?", headBytes>>10)
		}
	}
	t.format.Delimiter = ','
	first, _, _ := strings.Cut(head, "\n")
	var uneven error
	for _, d := range delimiters {
		if rows != nil && !strings.ContainsRune(head, d) {
			continue // one cell per row
		}
		all, err := split(head, d, whole)
		switch {
		case err == nil && len(all) > 0 && (rows == nil || len(all[0]) > len(rows[0])):
			rows, t.format.Delimiter = all, d
		case err != nil && uneven == nil && strings.ContainsRune(first, d):
			uneven = err
		}
	}
	if rows == nil || len(rows[0]) == 1 {
		if errors.Is(uneven, csv.ErrFieldCount) {
			return nil, fmt.Errorf("%w: want as many cells in each line as in the first; remove lines that are not rows, such as a title or a total", uneven)
		}
		if uneven != nil {
			return nil, uneven
		}
		if d := below(head, delimiters); d != 0 {
			return nil, fmt.Errorf("its first line, %.60q, is one cell, and the lines below have several, separated by %q: delete the lines above the names", strings.TrimSpace(first), d)
		}
	}
	if len(rows) == 0 {
		return nil, errors.New("no delimiter (a comma, a semicolon, a tab or a bar) gives rows of equal length: is it a CSV file?")
	}
	return rows, nil
}

// findNames determines whether the first row has the names of the columns; else they are the
// given ones, or column1, column2, ….
func (t *table) findNames(rows [][]string, names []string) error {
	header, numbers := isHeader(rows, &t.format)
	if t.header = names == nil && header; t.header {
		return nil
	}
	if names == nil {
		if title := titles(rows, &t.format); title > 0 {
			return fmt.Errorf("%s: the names of the columns, %.60q, stand below %s, %.60q: delete the lines above them", t.path, strings.Join(rows[title], ", "), plural(title, "row"), strings.Join(slices.DeleteFunc(slices.Clone(rows[0]), func(cell string) bool { return cell == "" }), ", "))
		}
	}
	if numbers {
		return fmt.Errorf("%s begins with names already (%.100s): --columns is for a file that does not", t.path, strings.Join(rows[0], ", "))
	}
	if names != nil && len(names) != len(rows[0]) {
		return fmt.Errorf("%s has %d columns; --columns names %d", t.path, len(rows[0]), len(names))
	}
	if t.format.Columns = names; names == nil {
		for i := range rows[0] {
			t.format.Columns = append(t.format.Columns, fmt.Sprintf("column%d", i+1))
		}
	}
	return nil
}

// padded reports whether a column has blanks around most of its texts, as columns of fixed
// width do.
func padded(rows [][]string) bool {
	if len(rows) == 0 {
		return false
	}
	for i := range rows[0] {
		blanks, texts := 0, 0
		for _, row := range rows {
			if trimmed := strings.TrimSpace(row[i]); trimmed != "" {
				if texts++; trimmed != row[i] {
					blanks++
				}
			}
		}
		if 2*blanks > texts {
			return true
		}
	}
	return false
}

// mostTitles bounds the number of rows above the names.
const mostTitles = 10

// titles counts the nearly empty rows above a row of names; 0: there are none.
func titles(rows [][]string, format *people.Format) int {
	for n := 1; n <= mostTitles && n < len(rows)-1; n++ {
		blank := 0
		for _, cell := range rows[n-1] {
			if cell == "" {
				blank++
			}
		}
		if 2*blank <= len(rows[n-1]) {
			return 0
		}
		if _, above := isHeader(rows[n:], format); above {
			return n
		}
	}
	return 0
}

// below returns the delimiter that occurs equally often in most lines below the first, and not
// in the first; 0 if there is none.
func below(head string, delimiters []rune) rune {
	lines := strings.Split(strings.TrimRight(head, "\r\n"), "\n")
	for _, d := range delimiters {
		counts := map[int]int{}
		for _, line := range lines[1:] {
			line = strings.Trim(line, "\r\" ")
			if people.NotationOf(line) == nil { // else it may be numbers with decimal commas
				counts[strings.Count(line, string(d))]++
			}
		}
		for n, times := range counts {
			if n > 0 && len(lines) > 3 && 4*times > 3*(len(lines)-1) && !strings.ContainsRune(lines[0], d) {
				return d
			}
		}
	}
	return 0
}

// split reads rows, which must be of equal length. Unless the text is the whole file, it may
// end within a cell.
func split(text string, delimiter rune, whole bool) ([][]string, error) {
	read := func(trim bool) (all [][]string, err error) {
		r := csv.NewReader(strings.NewReader(text))
		r.Comma, r.FieldsPerRecord, r.TrimLeadingSpace = delimiter, 0, trim
		for {
			row, err := r.Read()
			switch {
			case err == nil:
				all = append(all, row)
			case err == io.EOF || !whole && len(all) > 0 && errors.Is(err, csv.ErrQuote):
				return all, nil
			default:
				return nil, err
			}
		}
	}
	all, err := read(false) // the blanks tell whether cells are to be trimmed
	if err != nil && delimiter == ',' {
		return read(true)
	}
	return all, err
}

// isHeader reports whether the first row holds names: no cell is a number, and they stand above
// a column of numbers, or are different texts that occur in no other row.
func isHeader(rows [][]string, format *people.Format) (is, aboveNumbers bool) {
	number := func(cell string) bool {
		_, is := format.Number(cell)
		_, date := people.Days(cell, time.Time{})
		return is || date
	}
	different := true
	for i, cell := range rows[0] {
		ends := i == len(rows[0])-1 && i > 0 && !slices.ContainsFunc(rows, func(row []string) bool { return row[i] != "" }) // each line ends with a delimiter
		if number(cell) || slices.Contains(missingMarks, cell) && (i > 0 || cell != "") && !ends {
			return false, false
		}
		different = different && !slices.Contains(rows[0][:i], cell)
	}
	again := 0
	for i, cell := range rows[0] {
		numbers, others := 0, 0
		for _, row := range rows[1:] {
			switch {
			case row[i] == cell:
				again++
			case number(row[i]):
				numbers++
			case !slices.Contains(missingMarks, row[i]):
				others++
			}
		}
		if numbers > others {
			return true, true
		}
	}
	return different && again == 0, false
}

// notation chooses the notation by which most cells are numbers.
func (t *table) notation(rows [][]string) {
	count := func(f people.Format) (numbers int, columns []string) {
		for i := range rows[0] {
			n := 0
			for _, row := range rows[1:] {
				if _, ok := f.Number(row[i]); ok {
					n++
				}
			}
			if numbers += n; 2*n > len(rows)-1 {
				columns = append(columns, rows[0][i])
			}
		}
		return numbers, columns
	}
	most, _ := count(t.format)
	plain := t.format
	var alike []people.Format
	for _, f := range people.Notations {
		f.Delimiter, f.Trim = plain.Delimiter, plain.Trim
		switch n, _ := count(f); {
		case n > most:
			most, t.format, alike = n, f, nil
		case n == most && t.format.Decimal+t.format.Thousands != 0:
			alike = append(alike, f)
		}
	}
	if at := slices.IndexFunc(alike, func(f people.Format) bool { return f.Thousands == ',' }); at >= 0 && t.format.Decimal == ',' {
		if t.format.Thousands == 0 && plain.Delimiter == ',' { // "1,234" in quotes
			alike[at], t.format = t.format, alike[at]
		}
		t.doubts = append(t.doubts, fmt.Sprintf("a comma in numbers may precede decimals or separate thousands; this is read as %s: if that is wrong, change it under data:", written(&t.format)))
	}
	if t.format.Decimal == 0 && t.format.Thousands == 0 && plain.Delimiter == ';' {
		for i, name := range rows[0] {
			if some := group(rows[1:], i); some != "" {
				t.doubts = append(t.doubts, fmt.Sprintf("%s: numbers such as %s have three digits after every point, and are read as decimals: if the points separate thousands, write decimal: \",\", thousands: \".\" under data:", name, some))
			}
		}
	}
}

var grouped = regexp.MustCompile(`^[-+]?[1-9]\d{0,2}(\.\d{3})+$`)

// group returns a number with grouped thousands from a column in which every point may separate
// thousands; "" for other columns.
func group(rows [][]string, column int) (some string) {
	for _, row := range rows {
		if cell := row[column]; grouped.MatchString(cell) {
			some = cell
		} else if strings.ContainsAny(cell, ".,") {
			return ""
		}
	}
	return some
}

// written formats a notation for a study, a blank as a word.
func written(f *people.Format) string { return strings.ReplaceAll(f.Notation(), `" "`, "space") }
