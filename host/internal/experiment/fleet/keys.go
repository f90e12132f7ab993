package fleet

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nkeys"

	"github.com/hyfair/hyfair/host/internal/experiment/fleet/access"
)

// validity is the lifetime of the certificates.
const validity = 2 * 365 * 24 * time.Hour

// WriteKeys writes the folders server, worker and coordinator into dir. hosts are the names and
// addresses of the server. It fails if dir contains files.
func WriteKeys(dir string, hosts []string) error {
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return fmt.Errorf("%s: %w and is not empty: keys are never overwritten, so give another folder", dir, fs.ErrExist)
	}
	ca, caCert, caPEM, err := certificate("hyfair fleet", nil, nil, nil)
	if err != nil {
		return err
	}
	key, _, certPEM, err := certificate("hyfair fleet server", hosts, ca, caCert)
	if err != nil {
		return err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	files := map[string][]byte{
		"server/cert.pem": certPEM, "server/key.pem": pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}),
	}
	public := map[string]string{}
	for _, role := range []string{RoleWorker, RoleCoordinator} {
		user, err := nkeys.CreateUser()
		if err != nil {
			return err
		}
		seed, err := user.Seed()
		if err != nil {
			return err
		}
		if public[role], err = user.PublicKey(); err != nil {
			return err
		}
		files[role+"/"+seedFile], files[role+"/"+caFile] = append(seed, '\n'), caPEM
	}
	abs, err := filepath.Abs(filepath.Join(dir, "server"))
	if err != nil {
		return err
	}
	files["server/"+access.ConfigFile] = config(abs, public)
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		err := os.MkdirAll(filepath.Dir(path), 0o700)
		if err == nil {
			err = os.WriteFile(path, text, 0o600)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// config returns the access part of a server's configuration. Workers have a separate account: a
// server checks the subject of a message, but not its reply subject, and within the queue's
// account a reply could be a command to the queue.
func config(dir string, public map[string]string) []byte {
	publish, subscribe := Allowed()
	var list struct{ publish, subscribe, export, take, offer []string }
	for _, subject := range publish {
		as := subject
		if command, ok := strings.CutPrefix(subject, api); ok {
			as = workersAPI + command
		}
		list.publish = append(list.publish, strconv.Quote(as))
		if subject == statePrefix+">" {
			continue
		}
		list.export = append(list.export, fmt.Sprintf("{ service: %q, accounts: [WORKERS] }", subject))
		list.take = append(list.take, fmt.Sprintf("{ service: { account: FLEET, subject: %q }, to: %q }", subject, as))
	}
	for _, subject := range subscribe {
		list.subscribe = append(list.subscribe, strconv.Quote(subject))
		if strings.HasPrefix(subject, inbox(RoleWorker)) {
			continue
		}
		list.export = append(list.export, fmt.Sprintf("{ stream: %q, accounts: [WORKERS] }", subject))
		list.take = append(list.take, fmt.Sprintf("{ stream: { account: FLEET, subject: %q } }", subject))
	}
	lines := func(list []string) string { return "\n      " + strings.Join(list, "\n      ") + "\n    " }
	return fmt.Appendf(nil, `# Written by hyfair fleet keys. Your NATS cluster can include this file.
tls {
  cert_file: %q
  key_file: %q
  min_version: "1.3"
}
accounts {
  # Owns the queue: its user hands out tasks and receives results.
  FLEET {
    jetstream: enabled
    users: [ { nkey: %s } ]
    exports: [%s]
    imports: [ { stream: { account: WORKERS, subject: %q } } ]
  }
  # May only take tasks and publish results.
  WORKERS {
    users: [ { nkey: %s, permissions: {
      publish: [%s]
      subscribe: [%s]
    } } ]
    exports: [ { stream: %q, accounts: [FLEET] } ]
    imports: [%s]
  }
}
`, filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem"), public[RoleCoordinator], lines(list.export), statePrefix+">",
		public[RoleWorker], strings.Join(list.publish, ", "), strings.Join(list.subscribe, ", "), statePrefix+">", lines(list.take))
}

// certificate makes a key and a certificate. Without a signing key the certificate is self-signed.
func certificate(name string, hosts []string, by *ecdsa.PrivateKey, parent *x509.Certificate) (*ecdsa.PrivateKey, *x509.Certificate, []byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, nil, err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, nil, nil, err
	}
	c := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(validity),
		BasicConstraintsValid: true,
	}
	if by == nil {
		c.IsCA, c.KeyUsage, c.MaxPathLenZero = true, x509.KeyUsageCertSign, true
		by, parent = key, c
	} else {
		c.KeyUsage, c.ExtKeyUsage = x509.KeyUsageDigitalSignature, []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
		for _, host := range hosts {
			switch ip := net.ParseIP(host); {
			case ip != nil:
				c.IPAddresses = append(c.IPAddresses, ip)
			case host == "" || strings.ContainsAny(host, " /:"):
				return nil, nil, nil, fmt.Errorf("--host %q: want a host name or an IP address, without a port", host)
			default:
				c.DNSNames = append(c.DNSNames, host)
			}
		}
		if len(hosts) == 0 {
			return nil, nil, nil, errors.New("no host is named: give the server's name or address with --host")
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, c, parent, key.Public(), by)
	return key, c, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), err
}
