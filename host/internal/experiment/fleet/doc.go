// Package fleet is an experiment's place on other machines: a coordinator hands out tasks
// through a queue, workers do them in processes of their own, and results come back. The
// queue is NATS JetStream's. The coordinator's journal is the truth, and what is in the queue
// can be lost at any time: it is put there again. docs/decisions/0039 says why.
package fleet

import "time"

// Streams of the queue, and the store of files by their sums.
const (
	tasksStream   = "hyfair_tasks"
	resultsStream = "hyfair_results"
	contentBucket = "hyfair_content"
)

// Subjects. A task's has the ground it needs, its experiment and its own name, a result's
// the experiment, the task, the attempt and the part.
const (
	taskPrefix   = "hyfair.task."
	resultPrefix = "hyfair.result."
	// statePrefix is of what machines say of themselves when they are asked on askSubject.
	statePrefix = "hyfair.state."
	askSubject  = "hyfair.ask"
	// wakeSubject says that there are tasks of a new ground, drainSubject who shall take no
	// more.
	wakeSubject  = "hyfair.wake"
	drainSubject = "hyfair.drain"
	// dropSubject says that an experiment is over, or was broken off.
	dropSubject = "hyfair.drop"
)

const (
	// DefaultWait is how long a task waits for a sign of life before another worker gets it.
	DefaultWait = 30 * time.Second
	// deliveries is how often a task is begun before its loss is its result.
	deliveries = 3
	// maxTask bounds a message with tasks, maxPart one with a part of results, maxParts how
	// many there are, maxAnswer what they come to unpacked, maxState what a machine says.
	maxTask   = 768 << 10
	maxPart   = 512 << 10
	maxParts  = 256
	maxAnswer = 512 << 20
	maxState  = 64 << 10
	// maxFile bounds a file that travels.
	maxFile = 1 << 30
)

// Roles have credentials of their own.
const (
	RoleWorker      = "worker"
	RoleCoordinator = "coordinator"
)

// Commands to a queue begin with api. Where workers have an account of their own, theirs
// begin with workersAPI: a server answers api in each account for that one.
const (
	api        = "$JS.API"
	workersAPI = "hyfair.api"
)

// Allowed are the subjects that a worker may publish to and subscribe to. It takes tasks
// and gives results; it cannot put tasks or files into the queue. Workers share a key, and
// can listen to each other's answers.
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

// inbox is where a role gets its answers: no role reads another's.
func inbox(role string) string { return "_INBOX_" + role }
