package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"time"
)

const (
	dialTimeout = time.Second
	// The agent waits for the pod for half a minute, and for the lock of iptables.
	answerTimeout = 100 * time.Second
	logTimeout    = 500 * time.Millisecond
	maxAnswer     = 4 << 20
)

// A request is a call as the agent reads it.
type request struct {
	Env   map[string]string `json:"env"`
	Stdin string            `json:"stdin"`
}

// An answer is what this program prints, and its exit status.
type answer struct {
	ExitCode int    `json:"exitCode"`
	Stdout   string `json:"stdout"`
	Stderr   string `json:"stderr"`
}

// A failure is the reason why there is no answer of the agent.
type failure struct {
	err error
	// away: nothing listens. Otherwise the agent took the call and did not answer it.
	away bool
}

// handOver gives a call to the agent. The agent notices when this program is killed.
func handOver(runDir string, call request) (answer, *failure) {
	body, err := json.Marshal(call)
	if err != nil {
		return answer{}, &failure{err: err}
	}
	response, err := post(filepath.Join(runDir, "pluginevent.sock"), "/cni", body, answerTimeout)
	if err != nil {
		var operation *net.OpError
		return answer{}, &failure{err: err, away: errors.As(err, &operation) && operation.Op == "dial"}
	}
	var got answer
	if err := json.Unmarshal(response, &got); err != nil {
		return answer{}, &failure{err: fmt.Errorf("the agent's answer is not JSON: %w", err)}
	}
	return got, nil
}

// post sends a body to a socket and returns the body of the answer.
func post(socket, path string, body []byte, timeout time.Duration) ([]byte, error) {
	dialer := net.Dialer{Timeout: dialTimeout}
	client := http.Client{Timeout: timeout, Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, "unix", socket)
		},
	}}
	response, err := client.Post("http://agent"+path, "application/json", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return nil, err
	}
	if response.StatusCode/100 != 2 {
		return nil, fmt.Errorf("the agent answered with status %d", response.StatusCode)
	}
	return text, nil
}

// report writes a line to the agent's log, if it takes lines. An agent that is away takes none.
func (f *failure) report(runDir string, env map[string]string) {
	if f.away {
		return
	}
	line, err := json.Marshal(map[string]any{
		"level": "warn", "msg": "the agent did not answer a call: " + f.err.Error(),
		"command": env["CNI_COMMAND"], "container": env["CNI_CONTAINERID"],
	})
	if err == nil {
		_, _ = post(filepath.Join(runDir, "log.sock"), "/log", line, logTimeout)
	}
}
