package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

const (
	// A message of a node proxy is an answer of a few bytes.
	maxMessage = 64 << 10
	// Longest line of the agent: a message with its path.
	maxLine = 1 << 20
	// A node proxy that does not read is cut off.
	sendTimeout = 5 * time.Second
)

// A send is a line of the agent: a message for a node proxy, or the end of its connection.
type send struct {
	Connection int    `json:"connection"`
	ID         int    `json:"id"`
	Data       []byte `json:"data"`
	// Netns is the path of a network namespace, whose descriptor goes with the message.
	Netns string `json:"netns"`
	Close bool   `json:"close"`
}

// An event is a line for the agent.
type event struct {
	Event      string `json:"event"`
	Connection int    `json:"connection,omitempty"`
	ID         int    `json:"id,omitempty"`
	Data       []byte `json:"data,omitempty"`
	Reason     string `json:"reason,omitempty"`
	// Descriptor: the network namespace could not be opened, and nothing was sent.
	Descriptor bool `json:"descriptor,omitempty"`
}

// A bridge carries packets between node proxies on a socket and the agent on the standard streams. It
// does what the agent cannot: sockets of packets, and descriptors beside data.
type bridge struct {
	lock        sync.Mutex
	out         *json.Encoder
	connections map[int]*net.UnixConn
	last        int
}

// nodeProxies listens on a socket until the standard input ends.
func nodeProxies(path string, in io.Reader, out io.Writer) error {
	listener, own, err := listenPackets(path)
	if err != nil {
		return err
	}
	defer func() {
		// The next agent may listen there already.
		if found, err := os.Stat(path); err == nil && os.SameFile(found, own) {
			os.Remove(path)
		}
		listener.Close()
	}()
	b := &bridge{out: json.NewEncoder(out), connections: map[int]*net.UnixConn{}}
	b.tell(event{Event: "listening"})
	go func() {
		for {
			connection, err := listener.AcceptUnix()
			if err != nil {
				return
			}
			go b.read(connection)
		}
	}()
	return b.obey(in)
}

// listenPackets makes a socket in the place of what is at the path, so that a node proxy always finds one.
func listenPackets(path string) (*net.UnixListener, os.FileInfo, error) {
	partial := path + ".partial"
	if err := os.Remove(partial); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, nil, err
	}
	listener, err := net.ListenUnix("unixpacket", &net.UnixAddr{Name: partial, Net: "unixpacket"})
	if err != nil {
		return nil, nil, err
	}
	listener.SetUnlinkOnClose(false)
	if err := os.Chmod(partial, 0o600); err != nil {
		return nil, nil, err
	}
	own, err := os.Stat(partial)
	if err != nil {
		return nil, nil, err
	}
	return listener, own, os.Rename(partial, path)
}

func (b *bridge) tell(e event) {
	b.lock.Lock()
	defer b.lock.Unlock()
	// The agent has ended when it reads no more; then the standard input ends, too.
	_ = b.out.Encode(e)
}

// read hands on the packets of a connection until it ends.
func (b *bridge) read(connection *net.UnixConn) {
	b.lock.Lock()
	b.last++
	id := b.last
	b.connections[id] = connection
	b.lock.Unlock()
	b.tell(event{Event: "opened", Connection: id})
	reason := ""
	buffer := make([]byte, maxMessage)
	for {
		// Without room for them the kernel closes descriptors that come with a packet.
		n, _, flags, _, err := connection.ReadMsgUnix(buffer, nil)
		if err != nil || n == 0 {
			if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, net.ErrClosed) {
				reason = err.Error()
			}
			break
		}
		if flags&syscall.MSG_TRUNC != 0 {
			reason = fmt.Sprintf("a message is larger than %d bytes", maxMessage)
			break
		}
		b.tell(event{Event: "message", Connection: id, Data: buffer[:n]})
	}
	connection.Close()
	b.lock.Lock()
	delete(b.connections, id)
	b.lock.Unlock()
	b.tell(event{Event: "closed", Connection: id, Reason: reason})
}

// obey does what the lines of the agent say.
func (b *bridge) obey(in io.Reader) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		var line send
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			return err
		}
		b.lock.Lock()
		connection := b.connections[line.Connection]
		b.lock.Unlock()
		if connection == nil {
			continue
		}
		if line.Close {
			connection.Close()
			continue
		}
		// The agent has one message in flight for each connection. One that hangs holds up itself alone.
		go b.send(connection, line)
	}
	return lines.Err()
}

func (b *bridge) send(connection *net.UnixConn, line send) {
	done := event{Event: "sent", Connection: line.Connection, ID: line.ID}
	var rights []byte
	if line.Netns != "" {
		file, err := os.Open(line.Netns)
		if err != nil {
			done.Event, done.Reason, done.Descriptor = "failed", err.Error(), true
			b.tell(done)
			return
		}
		defer file.Close()
		rights = syscall.UnixRights(int(file.Fd()))
	}
	err := connection.SetWriteDeadline(time.Now().Add(sendTimeout))
	if err == nil {
		_, _, err = connection.WriteMsgUnix(line.Data, rights, nil)
	}
	if err != nil {
		done.Event, done.Reason = "failed", err.Error()
	}
	b.tell(done)
}
