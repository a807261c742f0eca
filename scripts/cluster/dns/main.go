// Command dns is CoreDNS with the plugins that a test cluster needs: few plugins
// build in a fraction of the time.
package main

import (
	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/coremain"

	_ "github.com/coredns/coredns/plugin/cache"
	_ "github.com/coredns/coredns/plugin/errors"
	_ "github.com/coredns/coredns/plugin/health"
	_ "github.com/coredns/coredns/plugin/kubernetes"
	_ "github.com/coredns/coredns/plugin/ready"
	_ "github.com/coredns/coredns/plugin/template"
)

func init() {
	// Requests pass the plugins in this order.
	dnsserver.Directives = []string{"health", "ready", "errors", "cache", "kubernetes", "template"}
}

func main() {
	coremain.Run()
}
