// Command workload is the application in the pods of tests: a server and its clients in
// one file that needs no shell and no library.
//
//	workload serve PORT             answer HTTP with the pod's name; GET /headers: what arrived
//	workload get [-n COUNT] URL     request, print status and body of each; status 1 unless all are 200
//	workload dial ADDRESS TEXT      send a text over TCP, print what comes back
//	workload echo PORT              send back what arrives over TCP
//	workload resolve NAME           print the addresses of a name
//	workload print TEXT             print a text
//	workload sleep DURATION         wait
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sort"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Longest time for one request, connection or resolution.
const patience = 10 * time.Second

func main() {
	if len(os.Args) < 3 {
		fail("usage: workload serve|get|dial|echo|resolve|print|sleep ARGUMENTS")
	}
	commands := map[string]func([]string) error{
		"serve": serve, "get": get, "dial": dial, "echo": echo,
		"resolve": resolve, "print": show, "sleep": sleep,
	}
	run, ok := commands[os.Args[1]]
	if !ok {
		fail("workload: no command " + os.Args[1])
	}
	if err := run(os.Args[2:]); err != nil {
		fail("workload: " + err.Error())
	}
}

func fail(text string) {
	fmt.Fprintln(os.Stderr, text)
	os.Exit(1)
}

// serve answers until SIGTERM, then lets requests that were begun end.
func serve(args []string) error {
	name, _ := os.Hostname()
	mux := http.NewServeMux()
	mux.HandleFunc("/headers", func(w http.ResponseWriter, r *http.Request) {
		json.NewEncoder(w).Encode(r.Header)
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, name)
	})
	server := &http.Server{Addr: ":" + args[0], Handler: mux}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, syscall.SIGINT)
	go func() {
		<-stop
		server.Shutdown(context.Background())
	}()
	fmt.Printf("%s serves port %s\n", name, args[0])
	if err := server.ListenAndServe(); err != http.ErrServerClosed {
		return err
	}
	return nil
}

func get(args []string) error {
	count := 1
	if len(args) == 3 && args[0] == "-n" {
		parsed, err := strconv.Atoi(args[1])
		if err != nil {
			return err
		}
		count, args = parsed, args[2:]
	}
	// Each request has a connection of its own, so that each is balanced.
	transport := &http.Transport{DisableKeepAlives: true}
	client := &http.Client{Timeout: patience, Transport: transport}
	failed := 0
	for range count {
		response, err := client.Get(args[0])
		if err != nil {
			fmt.Println("error", err)
			failed++
			continue
		}
		body, _ := io.ReadAll(response.Body)
		response.Body.Close()
		fmt.Println(response.StatusCode, strings.TrimSpace(string(body)))
		if response.StatusCode != http.StatusOK {
			failed++
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d requests failed", failed, count)
	}
	return nil
}

func dial(args []string) error {
	connection, err := net.DialTimeout("tcp", args[0], patience)
	if err != nil {
		return err
	}
	defer connection.Close()
	connection.SetDeadline(time.Now().Add(patience))
	if _, err := io.WriteString(connection, strings.Join(args[1:], " ")); err != nil {
		return err
	}
	connection.(*net.TCPConn).CloseWrite()
	_, err = io.Copy(os.Stdout, connection)
	return err
}

func echo(args []string) error {
	listener, err := net.Listen("tcp", ":"+args[0])
	if err != nil {
		return err
	}
	for {
		connection, err := listener.Accept()
		if err != nil {
			return err
		}
		go func() {
			io.Copy(connection, connection)
			connection.Close()
		}()
	}
}

func resolve(args []string) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	addresses, err := net.DefaultResolver.LookupHost(ctx, args[0])
	sort.Strings(addresses)
	for _, address := range addresses {
		fmt.Println(address)
	}
	return err
}

func show(args []string) error {
	fmt.Println(strings.Join(args, " "))
	return nil
}

func sleep(args []string) error {
	duration, err := time.ParseDuration(args[0])
	time.Sleep(duration)
	return err
}
