package main

import (
	"bytes"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Time for one request.
const timeout = 10 * time.Second

// The method that a call of gRPC names if the URL does not.
const anyMethod = "/mesh.test.Echo/Echo"

type request struct {
	url     *url.URL
	method  string
	headers http.Header
	count   int
}

// runClient asks and prints the answers.
func runClient(args []string) error {
	asked, err := readRequest(args)
	if err != nil {
		return err
	}
	client := clientFor(asked.url.Scheme)
	for range asked.count {
		lines, err := ask(client, asked)
		if err != nil {
			return err
		}
		fmt.Println(strings.Join(lines, "\n") + "\n")
	}
	return nil
}

func readRequest(args []string) (asked request, err error) {
	asked = request{method: "GET", headers: http.Header{}, count: 1}
	for i := 0; i < len(args) && err == nil; i++ {
		name, value := option(args[i])
		switch {
		case args[i] == "-H" && i+1 < len(args):
			i++
			header, content, _ := strings.Cut(args[i], ":")
			asked.headers.Add(header, strings.TrimSpace(content))
		case name == "method":
			asked.method = value
		case name == "count":
			asked.count, err = strconv.Atoi(value)
		case !strings.HasPrefix(args[i], "-") && asked.url == nil:
			asked.url, err = url.Parse(args[i])
		default:
			err = fmt.Errorf("the argument %q is not known", args[i])
		}
	}
	if err == nil && asked.url == nil {
		err = errors.New("the URL is missing")
	}
	return asked, err
}

// clientFor returns a client that follows no redirects and asks no proxy.
func clientFor(scheme string) *http.Client {
	protocols := new(http.Protocols)
	if scheme == "grpc" {
		protocols.SetUnencryptedHTTP2(true)
	} else {
		protocols.SetHTTP1(true)
	}
	return &http.Client{
		Timeout: timeout,
		Transport: &http.Transport{
			Protocols:       protocols,
			TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// ask sends one request and returns the lines about its answer.
func ask(client *http.Client, asked request) ([]string, error) {
	target := *asked.url
	method := asked.method
	isCall := target.Scheme == "grpc"
	var body io.Reader
	if isCall {
		target.Scheme, method, body = "http", "POST", bytes.NewReader(messageOf("echo"))
		if target.Path == "" || target.Path == "/" {
			target.Path = anyMethod
		}
	}
	r, err := http.NewRequest(method, target.String(), body)
	if err != nil {
		return nil, err
	}
	r.Header = asked.headers.Clone()
	if host := r.Header.Get("Host"); host != "" {
		r.Host = host
	}
	if isCall {
		r.Header.Set("Content-Type", "application/grpc")
		r.Header.Set("TE", "trailers")
	}
	answer, err := client.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if isCall {
		return callLines(answer)
	}
	content, err := io.ReadAll(answer.Body)
	return append(answerLines(answer), contentLines(string(content))...), err
}

func answerLines(answer *http.Response) []string {
	status := "StatusCode=" + strconv.Itoa(answer.StatusCode)
	return append([]string{status}, headerLines("ResponseHeader", answer.Header)...)
}

// callLines returns the lines about the answer to a call, whose status may be in its headers or trailers.
func callLines(answer *http.Response) ([]string, error) {
	message, err := readMessage(answer.Body)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	_, _ = io.Copy(io.Discard, answer.Body)
	status := answer.Trailer.Get("Grpc-Status")
	if status == "" {
		status = answer.Header.Get("Grpc-Status")
	}
	if status != "0" {
		return nil, fmt.Errorf("the call ended with the status %q", status)
	}
	return append(answerLines(answer), contentLines(message)...), nil
}

// contentLines returns the lines of a content without empty ones, which end an answer.
func contentLines(content string) []string {
	var lines []string
	for line := range strings.Lines(content) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// The first field of a message, with the type of texts.
const textField = 1<<3 | 2

// messageOf frames a message whose first field is a text.
func messageOf(text string) []byte {
	message := append(binary.AppendUvarint([]byte{textField}, uint64(len(text))), text...)
	frame := binary.BigEndian.AppendUint32([]byte{0}, uint32(len(message)))
	return append(frame, message...)
}

// readMessage reads a message as `messageOf` makes them.
func readMessage(from io.Reader) (string, error) {
	head := make([]byte, 5)
	if _, err := io.ReadFull(from, head); err != nil {
		return "", err
	}
	message := make([]byte, binary.BigEndian.Uint32(head[1:]))
	if _, err := io.ReadFull(from, message); err != nil {
		return "", err
	}
	if head[0] != 0 || len(message) == 0 || message[0] != textField {
		return "", errors.New("the message is not one of this program")
	}
	length, used := binary.Uvarint(message[1:])
	if used <= 0 || uint64(len(message)-1-used) < length {
		return "", errors.New("the message is too short")
	}
	return string(message[1+used:][:length]), nil
}
