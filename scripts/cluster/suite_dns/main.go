// Command suite_dns is CoreDNS with the plugins that the conformance suite of the Gateway API configures.
package main

import (
	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/coremain"

	_ "github.com/coredns/coredns/plugin/errors"
	_ "github.com/coredns/coredns/plugin/forward"
	_ "github.com/coredns/coredns/plugin/log"
	_ "github.com/coredns/coredns/plugin/whoami"
)

func init() {
	// Requests pass the plugins in this order.
	dnsserver.Directives = []string{"log", "errors", "whoami", "forward"}
}

func main() {
	coremain.Run()
}
