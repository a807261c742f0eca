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
	"strings"
	"syscall"
)

// terminated is closed once the pod is told to end.
func terminated() <-chan struct{} {
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, syscall.SIGINT)
	ended := make(chan struct{})
	go func() {
		<-stop
		close(ended)
	}()
	return ended
}

// application answers with the pod's name, and with what arrived.
func application(name string, ended <-chan struct{}) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/headers", func(w http.ResponseWriter, r *http.Request) {
		json.NewEncoder(w).Encode(r.Header)
	})
	mux.HandleFunc("/end", func(w http.ResponseWriter, r *http.Request) {
		fmt.Println("a request waits for the end")
		<-ended
		fmt.Fprintln(w, name)
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, name)
	})
	return mux
}

// address listens on all addresses, unless the port comes with one.
func address(port string) string {
	if strings.Contains(port, ":") {
		return port
	}
	return ":" + port
}

// serve answers until SIGTERM, then lets requests that were begun end.
func serve(args []string) error {
	name, _ := os.Hostname()
	ended := terminated()
	server := &http.Server{Addr: address(args[0]), Handler: application(name, ended)}
	drained := make(chan struct{})
	go func() {
		<-ended
		server.Shutdown(context.Background())
		close(drained)
	}()
	fmt.Printf("%s serves port %s\n", name, args[0])
	if err := server.ListenAndServe(); err != http.ErrServerClosed {
		return err
	}
	<-drained
	return nil
}

// stay answers until it is killed.
func stay(args []string) error {
	name, _ := os.Hostname()
	fmt.Printf("%s serves port %s\n", name, args[0])
	return http.ListenAndServe(":"+args[0], application(name, terminated()))
}

func answer(args []string) error {
	text := strings.Join(args[1:], " ")
	fmt.Println(text)
	return http.ListenAndServe(":"+args[0], http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, text)
	}))
}

// health answers each call of gRPC with a message whose first field is 1: it serves.
func health(args []string) error {
	protocols := &http.Protocols{}
	protocols.SetUnencryptedHTTP2(true)
	server := &http.Server{Addr: ":" + args[0], Protocols: protocols}
	server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/grpc")
		w.Header().Set("Trailer", "Grpc-Status")
		if r.URL.Path != "/grpc.health.v1.Health/Check" {
			w.Header().Set("Grpc-Status", "12") // not implemented
			return
		}
		w.Write([]byte{0, 0, 0, 0, 2, 8, 1})
		w.Header().Set("Grpc-Status", "0")
	})
	return server.ListenAndServe()
}

func greet(args []string) error {
	return accept(args[0], func(connection net.Conn) {
		io.WriteString(connection, strings.Join(args[1:], " "))
	})
}

func echo(args []string) error {
	return accept(args[0], func(connection net.Conn) {
		io.Copy(connection, connection)
	})
}

func accept(port string, handle func(net.Conn)) error {
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
			handle(connection)
			connection.Close()
		}()
	}
}
