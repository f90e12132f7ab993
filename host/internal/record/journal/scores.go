package journal

import (
	"database/sql"
	"encoding/binary"
	"errors"
)

// Score is the score of a row, by the row's digest.
type Score struct {
	Row   [16]byte
	Score float64
}

// scores is the table of scores that model plugins gave. It belongs to no run: a model, identified by a
// digest, gives the same row the same score in each. An entry has many scores, of 24 bytes each. Versions that
// do not know the table leave it alone.
const scores = `
CREATE TABLE IF NOT EXISTS scores (
	id     INTEGER PRIMARY KEY AUTOINCREMENT,
	model  BLOB NOT NULL,
	scores BLOB NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS scores_of_model ON scores (model);
`

// KeepScores adds scores of a model. They survive the end of the process.
func (j *Journal) KeepScores(model [16]byte, all []Score) error {
	text, err := binary.Append(nil, binary.LittleEndian, all)
	if err != nil {
		return j.fail(err)
	}
	return j.fail(explain(j.write(false, func(conn *sql.Conn) error {
		if _, err := conn.ExecContext(background, scores); err != nil {
			return err
		}
		_, err := conn.ExecContext(background, "INSERT INTO scores (model, scores) VALUES (?, ?)", model[:], text)
		return err
	})))
}

// Scores calls visit with the scores of a model that are kept, the latest first, until it returns false.
func (j *Journal) Scores(model [16]byte, visit func([]Score) bool) error {
	return j.fail(explain(j.read(func(conn *sql.Conn) error {
		var there bool
		if err := conn.QueryRowContext(background, "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE name = 'scores')").Scan(&there); err != nil || !there {
			return err
		}
		err := each(conn, func(rows *sql.Rows) error {
			var text []byte
			if err := rows.Scan(&text); err != nil {
				return err
			}
			all := make([]Score, len(text)/binary.Size(Score{}))
			if _, err := binary.Decode(text, binary.LittleEndian, all); err != nil {
				return err
			}
			if !visit(all) {
				return errEnough
			}
			return nil
		}, "SELECT scores FROM scores WHERE model = ? ORDER BY id DESC", model[:])
		if errors.Is(err, errEnough) {
			return nil
		}
		return err
	})))
}

// errEnough ends a loop over rows early.
var errEnough = errors.New("enough")
