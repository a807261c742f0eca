// Command workload is the application in the pods of tests: servers and their clients in
// one file that needs no shell and no library.
//
//	workload serve [HOST:]PORT      answer HTTP with the pod's name; GET /headers: what arrived;
//	                                GET /end: an answer once SIGTERM came
//	workload stay PORT              like serve, but SIGTERM does not end it
//	workload answer PORT TEXT       print a text, and answer HTTP with it
//	workload health PORT            answer health checks of gRPC
//	workload greet PORT TEXT        send a text over TCP to each client before it says anything
//	workload echo PORT              send back what arrives over TCP
//	workload get [-n COUNT] URL…    request, print status and body of each; status 1 unless all are 200
//	workload finish URL AGENT       request until the first success, then POST to the agent
//	workload load EVERY URL         request again and again; print each that fails, and the count
//	workload dial ADDRESS TEXT      send a text over TCP, print what comes back
//	workload hear ADDRESS…          print what servers say first over TCP
//	workload resolve NAME           print the addresses of a name
//	workload print TEXT             print a text
//	workload sleep DURATION         wait
//
// As tar it reads and writes the archives of kubectl cp.
package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"path"
	"sort"
	"strings"
	"time"
)

// Longest time for one request, connection or resolution.
const patience = 10 * time.Second

func main() {
	if path.Base(os.Args[0]) == "tar" {
		end(tarCommand(os.Args[1:]))
	}
	if len(os.Args) < 3 {
		fail("usage: workload COMMAND ARGUMENTS")
	}
	commands := map[string]func([]string) error{
		"serve": serve, "stay": stay, "answer": answer, "health": health,
		"greet": greet, "echo": echo,
		"get": get, "finish": finish, "load": load, "dial": dial, "hear": hear,
		"resolve": resolve, "print": show, "sleep": sleep,
	}
	run, ok := commands[os.Args[1]]
	if !ok {
		fail("workload: no command " + os.Args[1])
	}
	end(run(os.Args[2:]))
}

func end(err error) {
	if err != nil {
		fail("workload: " + err.Error())
	}
	os.Exit(0)
}

func fail(text string) {
	fmt.Fprintln(os.Stderr, text)
	os.Exit(1)
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
