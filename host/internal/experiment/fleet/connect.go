package fleet

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/hyfair/hyfair/host/internal/experiment/fleet/access"
	"github.com/hyfair/hyfair/host/internal/session"
)

// Address locates a fleet's queue and the keys to it.
type Address struct {
	// URL is the URL of one server, or the URLs of a cluster's servers, separated by commas.
	URL string
	// Keys is a folder written by hyfair fleet keys; empty: the queue is on this machine.
	Keys string
}

// Files in a folder of keys.
const (
	caFile   = "ca.pem"
	seedFile = "user.nk"
	// credsFile, if present, is read in place of seedFile, for the user's NATS cluster.
	credsFile = "user.creds"
)

// DefaultURL is the address of a queue on this machine.
const DefaultURL = "nats://127.0.0.1:4222"

// link is a connection to the queue. It reconnects automatically.
type link struct {
	*nats.Conn
	js jetstream.JetStream
	// api is the prefix of its JetStream requests.
	api string
}

// dial connects with the credentials of a role.
func dial(a Address, role, name string) (*link, error) {
	options := []nats.Option{
		nats.Name("hyfair " + role + " " + name), nats.MaxReconnects(-1), nats.ReconnectWait(500 * time.Millisecond),
		nats.CustomInboxPrefix(inbox(role)), nats.Timeout(5 * time.Second), nats.PingInterval(10 * time.Second), nats.MaxPingsOutstanding(2),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}),
	}
	for _, one := range strings.Split(a.URL, ",") {
		u, err := url.Parse(strings.TrimSpace(one))
		if err != nil || u.Host == "" {
			return nil, session.Mistake(fmt.Errorf("%q is not the address of a fleet: want an address such as %s", one, DefaultURL))
		}
		if a.Keys == "" && !access.Loopback(u.Hostname()) {
			return nil, session.Mistake(fmt.Errorf("%s is another machine: give its keys, the folder %s that hyfair fleet keys wrote, with --keys DIR, or with --fleet-keys DIR next to --fleet", u.Host, role))
		}
	}
	commands := api
	if a.Keys != "" {
		more, own, err := credentials(a.Keys)
		if err != nil {
			return nil, session.Mistake(fmt.Errorf("keys %s: %w", a.Keys, err))
		}
		options = append(options, more...)
		if own && role == RoleWorker {
			commands = workersAPI
		}
	}
	nc, err := nats.Connect(a.URL, options...)
	if err != nil {
		return nil, refused(a, err)
	}
	js, err := jetstream.NewWithAPIPrefix(nc, commands, jetstream.WithDefaultTimeout(10*time.Second))
	if err != nil {
		nc.Close()
		return nil, err
	}
	return &link{nc, js, commands}, nil
}

// errNobody is the error if no server answers at the address.
var errNobody = errors.New("nothing answers there")

// refused explains a connection error: it adds the cause and the remedy.
func refused(a Address, err error) error {
	var unknown x509.UnknownAuthorityError
	var host x509.HostnameError
	switch {
	case errors.Is(err, nats.ErrAuthorization) || errors.Is(err, nats.ErrAuthExpired):
		return session.Mistake(fmt.Errorf("fleet %s: the queue does not accept these credentials: %w; use the keys that hyfair fleet keys wrote for this server", a.URL, err))
	case errors.Is(err, nats.ErrNkeysNotSupported):
		return session.Mistake(fmt.Errorf("fleet %s: the queue asks for no keys: leave them out", a.URL))
	case errors.Is(err, nats.ErrSecureConnRequired) || errors.Is(err, nats.ErrSecureConnWanted) || errors.As(err, &unknown):
		return session.Mistake(fmt.Errorf("fleet %s: %w; use the keys that hyfair fleet keys wrote for this server", a.URL, err))
	case errors.As(err, &host):
		return session.Mistake(fmt.Errorf("fleet %s: %w; the certificate holds for the hosts that were given to hyfair fleet keys with --host", a.URL, err))
	case errors.Is(err, nats.ErrNoServers):
		return fmt.Errorf("fleet %s: %w; hyfair fleet serve starts a queue", a.URL, errNobody)
	}
	return fmt.Errorf("fleet %s: %w", a.URL, err)
}

// credentials reads a folder of keys. own reports that hyfair fleet keys wrote it, so that workers
// have a separate account.
func credentials(dir string) (_ []nats.Option, own bool, _ error) {
	ca, err := os.ReadFile(filepath.Join(dir, caFile))
	if err != nil {
		return nil, false, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(ca) {
		return nil, false, fmt.Errorf("%s has no certificate: want the folder that hyfair fleet keys wrote", caFile)
	}
	options := []nats.Option{nats.Secure(&tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS13})}
	creds := filepath.Join(dir, credsFile)
	if _, err := os.Stat(creds); err == nil {
		return append(options, nats.UserCredentials(creds)), false, nil
	}
	user, err := nats.NkeyOptionFromSeed(filepath.Join(dir, seedFile))
	return append(options, user), true, err
}

// replicas is the number of copies of each stream: three in a cluster.
func (l *link) replicas() int {
	if l.ConnectedClusterName() != "" {
		return 3
	}
	return 1
}

// forming is the longest wait for the servers of a cluster to join and to elect a leader.
const forming = time.Minute

// isForming reports whether an error of createStreams is due to a cluster that lacks servers
// or a leader. Without a leader no server answers. Codes: errors.json of nats-server.
func (l *link) isForming(err error) bool {
	const noPeers, notAvailable, notLeader = 10005, 10008, 10009
	if l.replicas() > 1 && errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	var answer *jetstream.APIError
	return errors.As(err, &answer) && slices.Contains([]jetstream.ErrorCode{noPeers, notAvailable, notLeader}, answer.ErrorCode)
}

// createStreams makes the streams and the object store, or updates them.
func (l *link) createStreams(ctx context.Context) (tasks, results jetstream.Stream, content jetstream.ObjectStore, err error) {
	// Task messages and their acknowledgements need not survive a crash, since the coordinator
	// publishes lost tasks again; their writes are asynchronous. Results are synced before they
	// are acknowledged. Replicated streams have the default mode only.
	mode := jetstream.DefaultPersistMode
	if l.replicas() == 1 {
		mode = jetstream.AsyncPersistMode
	}
	tasks, err = l.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: tasksStream, PersistMode: mode, Subjects: []string{taskPrefix + ">"}, Retention: jetstream.WorkQueuePolicy, Storage: jetstream.FileStorage, Replicas: l.replicas(),
		// At most one message per task, from any coordinator.
		MaxMsgsPerSubject: 1, Discard: jetstream.DiscardNew, DiscardNewPerSubject: true, MaxMsgSize: maxTask,
	})
	if err == nil {
		results, err = l.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
			Name: resultsStream, Subjects: []string{resultPrefix + ">"}, Storage: jetstream.FileStorage, Replicas: l.replicas(),
			MaxAge: 7 * 24 * time.Hour, MaxMsgSize: maxPart + 4096,
		})
	}
	if err == nil {
		content, err = l.js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: contentBucket, Storage: jetstream.FileStorage, Replicas: l.replicas()})
	}
	if err != nil {
		err = fmt.Errorf("fleet: the queue: %w", err)
	}
	return tasks, results, content, err
}

// mayAll returns an error if the keys are a worker's. The caller must have subscribed to
// statePrefix, which workers may not.
func (l *link) mayAll(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if err := l.FlushWithContext(ctx); err != nil {
		return nil // the queue is not reachable; the link reconnects
	}
	if err := l.LastError(); errors.Is(err, nats.ErrPermissionViolation) {
		return session.Mistake(fmt.Errorf("these keys may neither read the fleet's status nor hand out tasks: use those in the folder %s that hyfair fleet keys wrote", RoleCoordinator))
	}
	return nil
}

// ask requests the state of every machine, and calls the function with each reply that arrives
// before the time is over. A machine is reported once, even if other clients ask at the same time.
func (l *link) ask(ctx context.Context, wait time.Duration, take func(*State)) error {
	sub, err := l.SubscribeSync(statePrefix + ">")
	if err != nil {
		return err
	}
	defer sub.Unsubscribe()
	if err := l.mayAll(ctx); err != nil {
		return err
	}
	if err := l.Publish(askSubject, nil); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	seen := map[string]bool{}
	for {
		m, err := sub.NextMsgWithContext(ctx)
		if err != nil {
			return nil // wait is over
		}
		if s, err := parseState(m.Data); err == nil && !seen[s.Role+s.Name] {
			seen[s.Role+s.Name] = true
			take(s)
		}
	}
}

// tells subscribes to the requests of ask and answers each with this machine's state.
func (l *link) tells(state func() *State) (*nats.Subscription, error) {
	return l.Subscribe(askSubject, func(*nats.Msg) {
		s := state()
		if text, err := json.Marshal(s); err == nil && len(text) <= maxState {
			l.Publish(statePrefix+s.Role+"."+s.Name, text)
		}
	})
}
