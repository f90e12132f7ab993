package fleet

import (
	"encoding/base64"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/hyfair/hyfair/host/internal/experiment/fleet/serve"
	"github.com/hyfair/hyfair/internal/tier"
)

// A server checks where a worker publishes, and not where it wants the answer. An answer is
// no command to the queue, no task, no file and no word to others all the same.
func TestWhatRepliesDo(t *testing.T) {
	tier.NeedUsual(t)
	dir := filepath.Join(t.TempDir(), "keys")
	if err := WriteKeys(dir, []string{"127.0.0.1"}); err != nil {
		t.Fatal(err)
	}
	s, err := serve.Start(serve.Options{Listen: "127.0.0.1:0", Store: t.TempDir(), Limit: 1 << 30, Keys: filepath.Join(dir, "server"), Log: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	defer s.End()
	seat := func(role string) *link {
		l, err := dial(Address{s.ClientURL(), filepath.Join(dir, role)}, role, role)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(l.Close)
		return l
	}
	coordinator, worker := seat(RoleCoordinator), seat(RoleWorker)
	queue, results, store, err := coordinator.createStreams(t.Context())
	if err == nil {
		_, err = queue.CreateOrUpdateConsumer(t.Context(), jetstream.ConsumerConfig{Durable: "g", FilterSubject: taskPrefix + "g.>", AckPolicy: jetstream.AckExplicitPolicy})
	}
	const tasks, file = 50, "abc"
	for i := 0; i < tasks && err == nil; i++ {
		_, err = coordinator.js.Publish(t.Context(), fmt.Sprintf("%sg.p.%d", taskPrefix, i), []byte(`{"plan":"p","id":"i","tasks":[{"threads":1}]}`))
	}
	if err == nil {
		_, err = store.PutString(t.Context(), file, "what it is")
	}
	if err != nil {
		t.Fatal(err)
	}
	forbidden := []string{
		"$JS.API.STREAM.PURGE." + tasksStream, "$JS.API.STREAM.DELETE." + tasksStream, "$JS.API.CONSUMER.DELETE." + tasksStream + ".g",
		"$JS.API.STREAM.DELETE." + resultsStream, "$JS.API.STREAM.DELETE.OBJ_" + contentBucket, "$JS.API.STREAM.MSG.DELETE." + tasksStream,
		drainSubject, dropSubject, wakeSubject, taskPrefix + "g.p.made-up",
		"$O." + contentBucket + ".M." + base64.URLEncoding.EncodeToString([]byte(file)),
	}
	said := make(chan *nats.Msg, 1<<10)
	if _, err := coordinator.ChanSubscribe(">", said); err != nil {
		t.Fatal(err)
	}
	if err := coordinator.Flush(); err != nil {
		t.Fatal(err)
	}
	for subject, body := range map[string]string{
		resultPrefix + "p.i.a.0.1":                                "x",
		workersAPI + ".STREAM.INFO." + tasksStream:                "",
		workersAPI + ".CONSUMER.LIST." + tasksStream:              "",
		workersAPI + ".CONSUMER.INFO." + tasksStream + ".g":       "",
		workersAPI + ".CONSUMER.MSG.NEXT." + tasksStream + ".g":   `{"batch":1,"no_wait":true}`,
		workersAPI + ".DIRECT.GET.OBJ_" + contentBucket:           `{"seq":1}`,
		workersAPI + ".DIRECT.GET.OBJ_" + contentBucket + ".none": "",
		workersAPI + ".STREAM.INFO.OBJ_" + contentBucket:          "",
	} {
		for _, to := range forbidden {
			if err := worker.PublishRequest(subject, to, []byte(body)); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := worker.Request(subject, []byte(body), 20*time.Second); err != nil { // answered in order
			t.Errorf("%s: %v", subject, err)
		}
	}
	if err := coordinator.Flush(); err != nil {
		t.Fatal(err)
	}
	for len(said) > 0 {
		if m := <-said; slices.Contains(forbidden, m.Subject) {
			t.Errorf("the queue says %q at %s", m.Data, m.Subject)
		}
	}
	if info, err := queue.Info(t.Context()); err != nil || info.State.Msgs != tasks || info.State.Consumers != 1 {
		t.Errorf("the tasks: %+v, %v", info, err)
	}
	if _, err := results.Info(t.Context()); err != nil {
		t.Errorf("the results: %v", err)
	}
	if text, err := store.GetString(t.Context(), file); err != nil || text != "what it is" {
		t.Errorf("the file is %q, %v", text, err)
	}
}
