//go:build unix

package pythontest

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/hyfair/hyfair/sdk/internal/wire"
)

// bare is a plugin spoken to without go-plugin, as another host might.
type bare struct {
	cmd    *exec.Cmd
	socket string
	conn   *grpc.ClientConn
}

func startBare(t *testing.T) *bare {
	t.Helper()
	need(t)
	dir, err := os.MkdirTemp("/tmp", "t") // a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	cmd := exec.Command(python, "testdata/strategy.py")
	cmd.Env = append(os.Environ(), wire.Handshake.MagicCookieKey+"="+wire.Handshake.MagicCookieValue, "PLUGIN_UNIX_SOCKET_DIR="+dir)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	output := bufio.NewReader(stdout)
	line, err := output.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(strings.TrimSpace(line), "|")
	if len(parts) != 5 || parts[0] != "1" || parts[1] != "1" || parts[2] != "unix" || parts[4] != "grpc" || !strings.HasPrefix(parts[3], dir) {
		t.Fatalf("handshake %q", line)
	}
	if rest, err := io.ReadAll(output); err != nil || len(rest) > 0 {
		t.Fatalf("after the handshake: %q, %v", rest, err)
	}
	info, err := os.Stat(filepath.Dir(parts[3]))
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the socket's folder: %v, %v; want it to be its user's only", info.Mode(), err)
	}
	conn, err := grpc.NewClient("unix:"+parts[3], grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return &bare{cmd, parts[3], conn}
}

// waitEnd waits for the process to end of itself, and for its socket to be gone.
func (b *bare) waitEnd(t *testing.T) {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- b.cmd.Wait() }()
	select {
	case err := <-done:
		if err != nil {
			t.Errorf("it ended with %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("it did not end")
	}
	if _, err := os.Stat(filepath.Dir(b.socket)); !os.IsNotExist(err) {
		t.Errorf("its socket's folder is left behind (%v)", err)
	}
}

func TestHealthAndShutdown(t *testing.T) {
	b := startBare(t)
	if err := b.cmd.Process.Signal(os.Interrupt); err != nil { // the host's to deal with
		t.Fatal(err)
	}
	h, err := grpc_health_v1.NewHealthClient(b.conn).Check(t.Context(), &grpc_health_v1.HealthCheckRequest{Service: "plugin"})
	if err != nil || h.Status != grpc_health_v1.HealthCheckResponse_SERVING {
		t.Errorf("%v, %v", h, err)
	}
	if err := b.conn.Invoke(t.Context(), "/plugin.GRPCController/Shutdown", &emptypb.Empty{}, &emptypb.Empty{}); err != nil {
		t.Error(err)
	}
	b.waitEnd(t)
}

// The end of the stream that a host holds open is the end of the host.
func TestEndsWithTheConnection(t *testing.T) {
	b := startBare(t)
	stream, err := b.conn.NewStream(t.Context(), &grpc.StreamDesc{ServerStreams: true}, "/plugin.GRPCStdio/StreamStdio")
	if err == nil {
		err = stream.SendMsg(&emptypb.Empty{})
	}
	if err == nil {
		err = stream.CloseSend()
	}
	if err != nil {
		t.Fatal(err)
	}
	// Health answers in its turn: by then the stream is there.
	if _, err := grpc_health_v1.NewHealthClient(b.conn).Check(t.Context(), &grpc_health_v1.HealthCheckRequest{}); err != nil {
		t.Error(err)
	}
	b.conn.Close()
	b.waitEnd(t)
}
