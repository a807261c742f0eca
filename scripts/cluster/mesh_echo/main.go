// The application of the Gateway API's conformance suite for its tests of meshes, in the place of the
// image echo-advanced, which cannot be built from the suite's module. It takes the flags that the suite's
// manifests have, and says what the suite reads in its answers; it has nothing else of that image.
//
//	server --port=N … --tls=N --grpc=N --tcp=N --crt=FILE --key=FILE
//	client URL [--method=M] [-H NAME:VALUE …] [--count=N]
//
// The server answers HTTP, gRPC and lines of TCP with what it was asked. The client, which the suite runs
// in a server's container, prints each answer as lines of NAME=VALUE, and an empty line after each.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	var err error
	switch filepath.Base(os.Args[0]) {
	case "client":
		err = runClient(os.Args[1:])
	default:
		err = runServer(os.Args[1:])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// option splits `--name=value`.
func option(arg string) (name, value string) {
	name, value, _ = strings.Cut(strings.TrimLeft(arg, "-"), "=")
	return name, value
}
