package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// newClient makes a client whose requests have connections of their own, so that each is balanced.
func newClient() *http.Client {
	transport := &http.Transport{DisableKeepAlives: true}
	return &http.Client{Timeout: patience, Transport: transport}
}

func get(args []string) error {
	count := 1
	if len(args) > 2 && args[0] == "-n" {
		parsed, err := strconv.Atoi(args[1])
		if err != nil {
			return err
		}
		count, args = parsed, args[2:]
	}
	client := newClient()
	failed := 0
	for _, url := range args {
		for range count {
			status, body, err := ask(client, http.MethodGet, url)
			if err != nil {
				fmt.Println("error", err)
			} else {
				fmt.Println(status, body)
			}
			if err != nil || status != http.StatusOK {
				failed++
			}
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d requests failed", failed)
	}
	return nil
}

// finish is a job that needs the network, and then ends the agent of its pod.
func finish(args []string) error {
	if len(args) != 2 {
		return errors.New("usage: workload finish URL AGENT")
	}
	client := newClient()
	text := await(client, args[0], 100*time.Millisecond)
	fmt.Println(http.StatusOK, text)
	_, _, err := ask(client, http.MethodPost, args[1])
	return err
}

// await requests until the first success.
func await(client *http.Client, url string, every time.Duration) string {
	for {
		status, body, err := ask(client, http.MethodGet, url)
		if err == nil && status == http.StatusOK {
			return body
		}
		time.Sleep(every)
	}
}

func ask(client *http.Client, method, url string) (int, string, error) {
	request, err := http.NewRequest(method, url, nil)
	if err != nil {
		return 0, "", err
	}
	response, err := client.Do(request)
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return response.StatusCode, strings.TrimSpace(string(body)), err
}

// load begins to count with the first success. A request does not wait for the one before it.
func load(args []string) error {
	if len(args) != 2 {
		return errors.New("usage: workload load EVERY URL")
	}
	every, err := time.ParseDuration(args[0])
	if err != nil {
		return err
	}
	client := newClient()
	await(client, args[1], every)
	var asked, failed atomic.Int64
	ended := terminated()
	tick := time.NewTicker(every)
	report := time.NewTicker(500 * time.Millisecond)
	for {
		select {
		case <-ended:
			return nil
		case <-report.C:
			fmt.Printf("%d requests, %d failed\n", asked.Load(), failed.Load())
		case <-tick.C:
			go func() {
				started := time.Now()
				status, body, err := ask(client, http.MethodGet, args[1])
				asked.Add(1)
				if err == nil && status == http.StatusOK {
					return
				}
				failed.Add(1)
				fmt.Println("failure", started.Format(time.StampMilli), time.Since(started), status, body, err)
			}()
		}
	}
}

func dial(args []string) error {
	connection, err := connect(args[0])
	if err != nil {
		return err
	}
	defer connection.Close()
	if _, err := io.WriteString(connection, strings.Join(args[1:], " ")); err != nil {
		return err
	}
	connection.(*net.TCPConn).CloseWrite()
	_, err = io.Copy(os.Stdout, connection)
	return err
}

func hear(args []string) error {
	for _, address := range args {
		connection, err := connect(address)
		if err != nil {
			return err
		}
		said, err := io.ReadAll(connection)
		connection.Close()
		if err != nil {
			return err
		}
		fmt.Println(string(said))
	}
	return nil
}

func connect(address string) (net.Conn, error) {
	connection, err := net.DialTimeout("tcp", address, patience)
	if err == nil {
		connection.SetDeadline(time.Now().Add(patience))
	}
	return connection, err
}
