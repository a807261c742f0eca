// The conformance suite of the Gateway API as a program. Its flags are those of the suite
// (-conformance-profiles, -supported-features, -report-output and others) and of Go's tests
// (-test.v, -test.run). The cluster is that of KUBECONFIG.
package main

import (
	"regexp"
	"testing"

	"sigs.k8s.io/gateway-api/conformance"
)

func main() {
	tests := []testing.InternalTest{{Name: "Conformance", F: conformance.RunConformance}}
	testing.Main(regexp.MatchString, tests, nil, nil)
}
