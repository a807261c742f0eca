// Command mesh-cni is what the container runtime starts for each pod of a node.
//
// It knows nothing about pods and rules. It hands its call to the resident agent of the node
// (install-cni) over a Unix socket, and prints the answer. While the agent is away it lets pass what
// needs no rules, and asks for another attempt otherwise, so that no pod starts without them.
package main

import (
	"fmt"
	"io"
	"os"
)

// A program is the process as tests can replace it.
type program struct {
	env    map[string]string
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer
}

func main() {
	// Container runtimes give no arguments.
	if len(os.Args) > 1 && os.Args[1] == "self-test" {
		os.Exit(selfTest(os.Args[2:]))
	}
	if len(os.Args) == 3 && os.Args[1] == "node-proxies" {
		if err := nodeProxies(os.Args[2], os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "mesh-cni:", err)
			os.Exit(1)
		}
		return
	}
	os.Exit(program{cniVariables(os.Environ()), os.Stdin, os.Stdout, os.Stderr}.run())
}

// run answers one call and returns the exit status.
func (p program) run() int {
	command := p.env["CNI_COMMAND"]
	stdin, config, fault := readConfig(p.stdin)
	if fault != nil {
		// A pod that cannot be removed would stay for ever.
		if command == "DEL" {
			return 0
		}
		return p.fail(config.CNIVersion, *fault)
	}
	if command == "VERSION" {
		return p.print(versions(config.CNIVersion))
	}
	answer, failure := handOver(config.runDir(), request{p.env, stdin})
	if failure == nil {
		io.WriteString(p.stdout, answer.Stdout)
		io.WriteString(p.stderr, answer.Stderr)
		return answer.ExitCode
	}
	failure.report(config.runDir(), p.env)
	return p.withoutAgent(command, config, failure)
}
