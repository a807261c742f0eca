//go:build tools

// Package programs names what is built, so that `go mod tidy` keeps its module.
package programs

import _ "sigs.k8s.io/gateway-api/conformance/echo-basic"
