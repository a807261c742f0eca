package main

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"time"
)

// The ports that rules redirect to: outbound, inbound.
var redirectPorts = []int{15001, 15006}

const (
	trialTimeout = 5 * time.Second
	// SO_ORIGINAL_DST of the kernel's packet filter, and IP6T_SO_ORIGINAL_DST.
	originalDestination = 80
)

// A family is a version of IP, as the agent names it, with the name of its sockets.
type family struct {
	name, network string
	original      func(fd int) (string, error)
}

var families = []family{{"4", "tcp4", originalOf4}, {"6", "tcp6", originalOf6}}

func familyOf(name string) (family, error) {
	for _, one := range families {
		if one.name == name {
			return one, nil
		}
	}
	return family{}, fmt.Errorf("%q is no version of IP: 4 or 6", name)
}

// selfTest runs a part of the agent's self-test, in a network namespace of the agent.
func selfTest(args []string) int {
	var err error
	switch {
	case len(args) == 1 && args[0] == "hold":
		awaitAgent()
	case len(args) == 2 && args[0] == "listen":
		go func() {
			awaitAgent()
			os.Exit(0)
		}()
		err = listen(args[1])
	case len(args) == 2 && args[0] == "connect":
		err = connect(args[1])
	default:
		err = fmt.Errorf("self-test takes hold, listen VERSION or connect ADDRESS")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "mesh-cni:", err)
		return 1
	}
	return 0
}

// awaitAgent returns when the agent closes standard input, or has ended: a killed one leaves no process.
func awaitAgent() {
	io.Copy(io.Discard, os.Stdin)
}

// listen tells each client of the redirect ports where it wanted to go, in a version of IP.
func listen(version string) error {
	family, err := familyOf(version)
	if err != nil {
		return err
	}
	failed := make(chan error)
	for _, port := range redirectPorts {
		listener, err := net.Listen(family.network, fmt.Sprintf(":%d", port))
		if err != nil {
			return err
		}
		go func(port int) { failed <- serve(listener, family, port) }(port)
	}
	fmt.Println("ready")
	return <-failed
}

func serve(listener net.Listener, family family, port int) error {
	for {
		connection, err := listener.Accept()
		if err != nil {
			return err
		}
		tell(connection.(*net.TCPConn), family, port)
	}
}

func tell(connection *net.TCPConn, family family, port int) {
	defer connection.Close()
	wanted, err := originalOf(connection, family)
	if err != nil {
		wanted = err.Error()
	}
	fmt.Fprintf(connection, "%d %s\n", port, wanted)
}

// originalOf returns the destination of a connection before it was redirected.
func originalOf(connection *net.TCPConn, family family) (string, error) {
	raw, err := connection.SyscallConn()
	if err != nil {
		return "", err
	}
	var fault error
	var wanted string
	err = raw.Control(func(fd uintptr) { wanted, fault = family.original(int(fd)) })
	if err != nil || fault != nil {
		return "", fmt.Errorf("no original destination: %v %v", err, fault)
	}
	return wanted, nil
}

func originalOf4(fd int) (string, error) {
	// The structure has room for an address of IPv4 with its port.
	got, err := syscall.GetsockoptIPv6Mreq(fd, syscall.IPPROTO_IP, originalDestination)
	if err != nil {
		return "", err
	}
	return joined(got.Multiaddr[4:8], got.Multiaddr[2:4]), nil
}

func originalOf6(fd int) (string, error) {
	// The structure begins with an address of IPv6 with its port.
	got, err := syscall.GetsockoptIPv6MTUInfo(fd, syscall.IPPROTO_IPV6, originalDestination)
	if err != nil {
		return "", err
	}
	port := make([]byte, 2)
	// The port is in the order of the network, in a field of the order of the machine.
	binary.NativeEndian.PutUint16(port, got.Addr.Port)
	return joined(got.Addr.Addr[:], port), nil
}

func joined(address, port []byte) string {
	return net.JoinHostPort(net.IP(address).String(), fmt.Sprint(binary.BigEndian.Uint16(port)))
}

// connect prints what the listener of a connection says.
func connect(address string) error {
	connection, err := net.DialTimeout("tcp", address, trialTimeout)
	if err != nil {
		return err
	}
	defer connection.Close()
	if err := connection.SetDeadline(time.Now().Add(trialTimeout)); err != nil {
		return err
	}
	_, err = io.Copy(os.Stdout, connection)
	return err
}
