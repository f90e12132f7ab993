// Package fleet runs an experiment's tasks on other machines. A coordinator publishes tasks
// to a queue (NATS JetStream); workers run each task in a separate process and publish results.
// The coordinator's journal is authoritative: the queue may lose any message, and the coordinator
// publishes it again. docs/developer/decisions/0039 says why.
package fleet

import "time"

// Streams of the queue, and the object store of files, named by their SHA-256.
const (
	tasksStream   = "hyfair_tasks"
	resultsStream = "hyfair_results"
	contentBucket = "hyfair_content"
)

// Subjects. After its prefix, the subject of a task is requirements, experiment, parcel; that of a
// result is experiment, parcel, attempt, part, number of parts.
const (
	taskPrefix   = "hyfair.task."
	resultPrefix = "hyfair.result."
	// statePrefix is for replies to askSubject: a machine's State.
	statePrefix = "hyfair.state."
	askSubject  = "hyfair.ask"
	// wakeSubject announces tasks with new requirements; drainSubject names a worker that must
	// take no more tasks.
	wakeSubject  = "hyfair.wake"
	drainSubject = "hyfair.drain"
	// dropSubject announces that an experiment has ended or was interrupted.
	dropSubject = "hyfair.drop"
)

const (
	// DefaultWait is the time without a sign of life after which a task is redelivered.
	DefaultWait = 30 * time.Second
	// deliveries is the number of attempts after which a task fails.
	deliveries = 3
	// Limits in bytes: maxTask for a message with tasks, maxPart for one part of a result,
	// maxAnswer for an unpacked result, maxState for a State. maxParts limits the parts of a
	// result.
	maxTask   = 768 << 10
	maxPart   = 512 << 10
	maxParts  = 256
	maxAnswer = 512 << 20
	maxState  = 64 << 10
	// maxFile is the largest size of a study's file, in bytes.
	maxFile = 1 << 30
)

// Each role has its own credentials.
const (
	RoleWorker      = "worker"
	RoleCoordinator = "coordinator"
)

// Prefixes of JetStream requests. A server answers api in each account for that account alone, so
// workers, which have a separate account, use workersAPI.
const (
	api        = "$JS.API"
	workersAPI = "hyfair.api"
)

// Allowed lists the subjects to which a worker may publish and subscribe. A worker takes tasks and
// publishes results; it cannot add tasks or files. Workers share a key and can read each other's
// replies.
func Allowed() (publish, subscribe []string) {
	return []string{
			resultPrefix + ">", statePrefix + ">",
			api + ".STREAM.INFO." + tasksStream, api + ".CONSUMER.LIST." + tasksStream, api + ".CONSUMER.INFO." + tasksStream + ".>",
			api + ".CONSUMER.MSG.NEXT." + tasksStream + ".>", "$JS.ACK." + tasksStream + ".>",
			api + ".DIRECT.GET.OBJ_" + contentBucket, api + ".DIRECT.GET.OBJ_" + contentBucket + ".>", api + ".STREAM.INFO.OBJ_" + contentBucket,
		}, []string{
			inbox(RoleWorker) + ".>", askSubject, wakeSubject, drainSubject, dropSubject,
		}
}

// inbox is the prefix of the replies to a role, which the other role cannot read.
func inbox(role string) string { return "_INBOX_" + role }
