package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// An agent is what a test has in the place of the program that starts the bridge.
type agent struct {
	t      *testing.T
	in     io.WriteCloser
	events *bufio.Scanner
	ended  chan error
	path   string
}

func startBridge(t *testing.T, path string) *agent {
	t.Helper()
	inRead, inWrite := io.Pipe()
	outRead, outWrite := io.Pipe()
	a := &agent{t, inWrite, bufio.NewScanner(outRead), make(chan error, 1), path}
	go func() { a.ended <- nodeProxies(path, inRead, outWrite); outWrite.Close() }()
	a.next("listening")
	return a
}

// next returns the next event, which must be of a kind.
func (a *agent) next(kind string) event {
	a.t.Helper()
	var got event
	if !a.events.Scan() {
		a.t.Fatal("no event")
	}
	if err := json.Unmarshal(a.events.Bytes(), &got); err != nil || got.Event != kind {
		a.t.Fatalf("%s is not %s: %v", a.events.Text(), kind, err)
	}
	return got
}

func (a *agent) write(line send) {
	a.t.Helper()
	text, _ := json.Marshal(line)
	if _, err := a.in.Write(append(text, '\n')); err != nil {
		a.t.Fatal(err)
	}
}

func (a *agent) dial() *net.UnixConn {
	a.t.Helper()
	connection, err := net.DialUnix("unixpacket", nil, &net.UnixAddr{Name: a.path, Net: "unixpacket"})
	if err != nil {
		a.t.Fatal(err)
	}
	return connection
}

func (a *agent) end() {
	a.t.Helper()
	a.in.Close()
	for a.events.Scan() {
	}
	if err := <-a.ended; err != nil {
		a.t.Fatal(err)
	}
}

func TestPacketsAndDescriptorsPassTheBridge(t *testing.T) {
	dir := t.TempDir()
	a := startBridge(t, filepath.Join(dir, "s"))
	proxy := a.dial()
	id := a.next("opened").Connection
	if _, err := proxy.Write([]byte("hello")); err != nil {
		t.Fatal(err)
	}
	if got := a.next("message"); string(got.Data) != "hello" || got.Connection != id {
		t.Errorf("%v", got)
	}
	a.write(send{Connection: id, ID: 7, Data: []byte("plain")})
	if got := a.next("sent"); got.ID != 7 {
		t.Errorf("%v", got)
	}
	a.write(send{Connection: id, ID: 8, Data: []byte("netns"), Netns: "/proc/self/ns/net"})
	a.next("sent")
	buffer, rights := make([]byte, 100), make([]byte, 100)
	if n, oob, _, _, err := proxy.ReadMsgUnix(buffer, rights); err != nil || string(buffer[:n]) != "plain" || oob != 0 {
		t.Errorf("%q %d %v", buffer[:n], oob, err)
	}
	n, oob, _, _, err := proxy.ReadMsgUnix(buffer, rights)
	if err != nil || string(buffer[:n]) != "netns" {
		t.Fatalf("%q %v", buffer[:n], err)
	}
	messages, _ := syscall.ParseSocketControlMessage(rights[:oob])
	descriptors, err := syscall.ParseUnixRights(&messages[0])
	if err != nil || len(descriptors) != 1 {
		t.Fatalf("%v %v", descriptors, err)
	}
	got := os.NewFile(uintptr(descriptors[0]), "received")
	defer got.Close()
	info, _ := got.Stat()
	own, _ := os.Stat("/proc/self/ns/net")
	if !os.SameFile(info, own) {
		t.Error("the descriptor is of another file")
	}
	proxy.Close()
	a.next("closed")
	a.end()
	if _, err := os.Stat(a.path); !os.IsNotExist(err) {
		t.Errorf("the socket is left: %v", err)
	}
}

func TestANamespaceThatIsGoneFailsItsMessageAlone(t *testing.T) {
	a := startBridge(t, filepath.Join(t.TempDir(), "s"))
	proxy := a.dial()
	defer proxy.Close()
	id := a.next("opened").Connection
	a.write(send{Connection: id, ID: 1, Data: []byte("a"), Netns: "/nowhere"})
	if got := a.next("failed"); !got.Descriptor || got.ID != 1 || got.Reason == "" {
		t.Errorf("%v", got)
	}
	a.write(send{Connection: id, ID: 2, Data: []byte("b")})
	a.next("sent")
	a.write(send{Connection: id, Close: true})
	a.next("closed")
	a.end()
}

func TestANodeProxyThatReadsNothingFails(t *testing.T) {
	a := startBridge(t, filepath.Join(t.TempDir(), "s"))
	slow := a.dial()
	defer slow.Close()
	first := a.next("opened").Connection
	quick := a.dial()
	defer quick.Close()
	second := a.next("opened").Connection
	data := make([]byte, 4096)
	failed := false
	for id := 1; !failed; id++ {
		a.write(send{Connection: first, ID: id, Data: data})
		a.write(send{Connection: second, ID: id, Data: []byte("b")})
		for i := 0; i < 2; i++ {
			if !a.events.Scan() {
				t.Fatal("no event")
			}
			var got event
			_ = json.Unmarshal(a.events.Bytes(), &got)
			if got.Event == "failed" && got.Connection == second {
				t.Fatalf("%v", got)
			}
			failed = failed || got.Event == "failed"
		}
		if _, err := quick.Read(make([]byte, 10)); err != nil {
			t.Fatal(err)
		}
	}
	a.end()
}

func TestTheNextBridgeTakesTheSocketOver(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	before := startBridge(t, path)
	after := startBridge(t, path)
	before.end()
	after.dial().Close()
	after.next("opened")
	after.end()
}
