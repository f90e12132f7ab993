package journal

import (
	"database/sql"
)

// Score is the score of a row, by the row's digest.
type Score struct {
	Row   [16]byte
	Score float64
}

// scores is the table of scores that model plugins gave. It belongs to no run: a model, identified by a
// digest, gives the same row the same score in each. Versions that do not know it leave it alone.
const scores = `CREATE TABLE IF NOT EXISTS scores (
	model BLOB NOT NULL,
	row   BLOB NOT NULL,
	score REAL NOT NULL,
	PRIMARY KEY (model, row)
) STRICT, WITHOUT ROWID`

// HasScores reports whether the journal has scores of a model. It makes the table if it is missing.
func (j *Journal) HasScores(model [16]byte) (has bool, err error) {
	err = j.write(false, func(conn *sql.Conn) error {
		if _, err := conn.ExecContext(background, scores); err != nil {
			return err
		}
		return conn.QueryRowContext(background, "SELECT EXISTS (SELECT 1 FROM scores WHERE model = ?)", model[:]).Scan(&has)
	})
	return has, j.fail(explain(err))
}

// KeepScores adds scores of a model, after HasScores. They survive the end of the process.
func (j *Journal) KeepScores(model [16]byte, all []Score) error {
	return j.fail(explain(j.write(false, func(conn *sql.Conn) error {
		insert, err := conn.PrepareContext(background, "INSERT OR REPLACE INTO scores (model, row, score) VALUES (?, ?, ?)")
		if err != nil {
			return err
		}
		defer insert.Close()
		for i := range all {
			if _, err := insert.ExecContext(background, model[:], all[i].Row[:], all[i].Score); err != nil {
				return err
			}
		}
		return nil
	})))
}

// Scores returns the scores of a model that are kept, of those rows, after HasScores.
func (j *Journal) Scores(model [16]byte, rows [][16]byte) (map[[16]byte]float64, error) {
	found := map[[16]byte]float64{}
	err := j.read(func(conn *sql.Conn) error {
		query, err := conn.PrepareContext(background, "SELECT score FROM scores WHERE model = ? AND row = ?")
		if err != nil {
			return err
		}
		defer query.Close()
		for _, row := range rows {
			var score float64
			switch err := query.QueryRowContext(background, model[:], row[:]).Scan(&score); err {
			case nil:
				found[row] = score
			case sql.ErrNoRows:
			default:
				return err
			}
		}
		return nil
	})
	return found, j.fail(explain(err))
}
