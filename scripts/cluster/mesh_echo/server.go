package main

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/big"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"
)

type settings struct {
	http, grpc, tcp, tls []string
	cert, key            string
}

// The port of HTTP if no flag names one.
const defaultPort = "8080"

// runServer listens until the program ends.
func runServer(args []string) error {
	var given settings
	for _, arg := range args {
		name, value := option(arg)
		switch name {
		case "port":
			given.http = append(given.http, value)
		case "grpc":
			given.grpc = append(given.grpc, value)
		case "tcp":
			given.tcp = append(given.tcp, value)
		case "tls":
			given.tls = append(given.tls, value)
		case "crt":
			given.cert = value
		case "key":
			given.key = value
		default:
			return fmt.Errorf("the flag %q is not known", arg)
		}
	}
	if len(given.http) == 0 {
		given.http = []string{defaultPort}
	}
	ended := make(chan error)
	for _, port := range given.http {
		go func() { ended <- serveHTTP(port, given) }()
	}
	for _, port := range given.grpc {
		go func() { ended <- serveGRPC(port) }()
	}
	for _, port := range given.tcp {
		go func() { ended <- serveTCP(port) }()
	}
	return <-ended
}

func serveHTTP(port string, given settings) error {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true)
	server := &http.Server{Addr: ":" + port, Protocols: protocols}
	server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, strings.Join(described(r, port), "\n")+"\n")
	})
	if !slices.Contains(given.tls, port) {
		return server.ListenAndServe()
	}
	certificate, err := certificateOf(given)
	if err != nil {
		return err
	}
	server.TLSConfig = &tls.Config{Certificates: []tls.Certificate{certificate}}
	return server.ListenAndServeTLS("", "")
}

// serveGRPC answers calls of every method.
func serveGRPC(port string) error {
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	server := &http.Server{Addr: ":" + port, Protocols: protocols}
	server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/grpc")
		w.Header().Set("Trailer", "Grpc-Status")
		if _, err := readMessage(r.Body); err != nil {
			w.Header().Set("Grpc-Status", "3")
			return
		}
		w.Write(messageOf(strings.Join(described(r, port), "\n")))
		w.Header().Set("Grpc-Status", "0")
	})
	return server.ListenAndServe()
}

// serveTCP answers each line.
func serveTCP(port string) error {
	listener, err := net.Listen("tcp", ":"+port)
	if err != nil {
		return err
	}
	for {
		connection, err := listener.Accept()
		if err != nil {
			return err
		}
		go func() {
			defer connection.Close()
			lines := bufio.NewScanner(connection)
			for lines.Scan() {
				fmt.Fprintf(connection, "Hostname=%s\nServicePort=%s\nEcho=%s\n", hostname(), port, lines.Text())
			}
		}()
	}
}

// described returns the lines about a request.
func described(r *http.Request, port string) []string {
	lines := []string{
		"Hostname=" + hostname(),
		"ServicePort=" + port,
		"Host=" + r.Host,
		"URL=" + r.URL.RequestURI(),
		"Method=" + r.Method,
		"Proto=" + r.Proto,
	}
	if address, _, err := net.SplitHostPort(r.RemoteAddr); err == nil {
		lines = append(lines, "IP="+address)
	}
	return append(lines, headerLines("RequestHeader", r.Header)...)
}

// headerLines returns a line for each value; those of one name stay in their order.
func headerLines(field string, headers http.Header) []string {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		for _, value := range headers[name] {
			lines = append(lines, field+"="+name+":"+value)
		}
	}
	return lines
}

func hostname() string {
	name, err := os.Hostname()
	if err != nil {
		return err.Error()
	}
	return name
}

// certificateOf reads the files; if there are none, the server has a certificate of its own making.
func certificateOf(given settings) (tls.Certificate, error) {
	found, err := tls.LoadX509KeyPair(given.cert, given.key)
	if !errors.Is(err, fs.ErrNotExist) {
		return found, err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		DNSNames:     []string{hostname()},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().AddDate(1, 0, 0),
	}
	bytes, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	return tls.Certificate{Certificate: [][]byte{bytes}, PrivateKey: key}, err
}
