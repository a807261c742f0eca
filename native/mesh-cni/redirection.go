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
	// SO_ORIGINAL_DST of the kernel's packet filter.
	originalDestination = 80
)

// selfTest runs a part of the agent's self-test, in a network namespace of the agent.
func selfTest(args []string) int {
	var err error
	switch {
	case len(args) == 1 && args[0] == "hold":
		for {
			time.Sleep(time.Hour)
		}
	case len(args) == 1 && args[0] == "listen":
		err = listen()
	case len(args) == 2 && args[0] == "connect":
		err = connect(args[1])
	default:
		err = fmt.Errorf("self-test takes hold, listen or connect ADDRESS")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "mesh-cni:", err)
		return 1
	}
	return 0
}

// listen tells each client of the redirect ports where it wanted to go.
func listen() error {
	failed := make(chan error)
	for _, port := range redirectPorts {
		listener, err := net.Listen("tcp4", fmt.Sprintf(":%d", port))
		if err != nil {
			return err
		}
		go func(port int) {
			for {
				connection, err := listener.Accept()
				if err != nil {
					failed <- err
					return
				}
				tell(connection.(*net.TCPConn), port)
			}
		}(port)
	}
	fmt.Println("ready")
	return <-failed
}

func tell(connection *net.TCPConn, port int) {
	defer connection.Close()
	wanted, err := originalOf(connection)
	if err != nil {
		wanted = err.Error()
	}
	fmt.Fprintf(connection, "%d %s\n", port, wanted)
}

// originalOf returns the destination of a connection before it was redirected.
func originalOf(connection *net.TCPConn) (string, error) {
	raw, err := connection.SyscallConn()
	if err != nil {
		return "", err
	}
	var fault error
	var address [16]byte
	err = raw.Control(func(fd uintptr) {
		// The structure has room for an address of IPv4 with its port.
		var got *syscall.IPv6Mreq
		if got, fault = syscall.GetsockoptIPv6Mreq(int(fd), syscall.IPPROTO_IP, originalDestination); fault == nil {
			address = got.Multiaddr
		}
	})
	if err != nil || fault != nil {
		return "", fmt.Errorf("no original destination: %v %v", err, fault)
	}
	return fmt.Sprintf("%s:%d", net.IP(address[4:8]), binary.BigEndian.Uint16(address[2:4])), nil
}

// connect prints what the listener of a connection says.
func connect(address string) error {
	connection, err := net.DialTimeout("tcp4", address, trialTimeout)
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
