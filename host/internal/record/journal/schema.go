package journal

// The header of the file identifies it: application_id is "hyfj", and user_version
// the version of the tables below.
const (
	applicationID = 0x6879666a
	schemaVersion = 2
)

// upgrade converts tables of version 1 to version 2.
const upgrade = `
ALTER TABLE tasks ADD COLUMN content TEXT NOT NULL DEFAULT '';
ALTER TABLE tasks ADD COLUMN origin TEXT NOT NULL DEFAULT '';
CREATE INDEX tasks_by_content ON tasks (content) WHERE content <> '';
`

// schema is version 1; upgrade is run after it. Lists and objects are JSON, times RFC 3339 in UTC.
//
// runs.id is never reused, because processes lock it (see live.go). runs.task is
// record.Task.ID, equal for runs of the same task. A row in tasks is a finished task;
// rowid is their order. content is the checksum of everything that determines the result,
// by which other runs find it; origin, an Origin as JSON, is the source of a reused result;
// both may be empty. The payload of an event is the object that docs/reference/formats.md
// lists under its kind. The two partial indexes are for lookups among millions of events.
const schema = `
CREATE TABLE runs (
	id       INTEGER PRIMARY KEY AUTOINCREMENT,
	name     TEXT NOT NULL UNIQUE,
	task     TEXT NOT NULL,
	command  TEXT NOT NULL,
	study    TEXT NOT NULL,
	model    TEXT NOT NULL,
	study_sha256   TEXT NOT NULL,
	network_sha256 TEXT NOT NULL,
	arm      TEXT NOT NULL,
	seed     INTEGER NOT NULL,
	region   TEXT NOT NULL,
	settings TEXT NOT NULL,
	features TEXT NOT NULL,
	versions TEXT NOT NULL,
	machine  TEXT NOT NULL,
	started  TEXT NOT NULL,
	finished TEXT,
	seconds  REAL NOT NULL,
	state    TEXT NOT NULL CHECK (state IN ('running', 'finished', 'interrupted', 'failed')),
	error    TEXT NOT NULL,
	measures TEXT NOT NULL
) STRICT;
CREATE INDEX runs_of_task ON runs (task);

CREATE TABLE tasks (
	run     INTEGER NOT NULL REFERENCES runs (id),
	key     TEXT NOT NULL,
	result  TEXT NOT NULL,
	seconds REAL NOT NULL,
	PRIMARY KEY (run, key)
) STRICT;

CREATE TABLE events (
	run     INTEGER NOT NULL REFERENCES runs (id),
	seq     INTEGER NOT NULL,
	t       REAL NOT NULL,
	kind    TEXT NOT NULL,
	task    TEXT NOT NULL,
	payload TEXT NOT NULL,
	PRIMARY KEY (run, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX witnesses ON events (run, seq) WHERE kind = 'witness';
CREATE INDEX verdicts ON events (run, seq) WHERE kind = 'verdict';
`
