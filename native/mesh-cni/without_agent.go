package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

const (
	agentPods             = "mesh-cni-node-"
	defaultAgentNamespace = "mesh-system"
	sidecarStatus         = "sidecar.mesh.io/status"
)

// withoutAgent answers while the agent is away. Pods outside of the mesh pass; others wait for it.
func (p program) withoutAgent(command string, config config, failure *failure) int {
	switch command {
	case "DEL", "GC", "STATUS":
		return 0
	case "ADD":
		return p.addWithoutAgent(config, failure)
	case "CHECK":
		return p.fail(config.CNIVersion, again("the rules cannot be checked", failure.err))
	}
	return p.fail(config.CNIVersion, fault{
		Code: codeEnvironment, Msg: fmt.Sprintf("CNI_COMMAND: %q is not a command", command),
		Details: "It takes ADD, DEL, CHECK, GC, STATUS or VERSION.",
	})
}

func (p program) addWithoutAgent(config config, failure *failure) int {
	if !slices.Contains(supportedVersions, config.CNIVersion) {
		return p.fail(config.CNIVersion, fault{
			Code: codeVersion, Msg: fmt.Sprintf("cniVersion: %q is not supported", config.CNIVersion),
			Details: "It takes " + strings.Join(supportedVersions, ", ") + ".",
		})
	}
	namespace, name, uid := pod(p.env["CNI_ARGS"])
	// With one of both names a pod would pass without being looked at.
	if (namespace == "") != (name == "") {
		return p.fail(config.CNIVersion, fault{
			Code: codeEnvironment, Msg: fmt.Sprintf("CNI_ARGS: invalid value %q", p.env["CNI_ARGS"]),
			Details: "It takes both K8S_POD_NAMESPACE and K8S_POD_NAME, or neither.",
		})
	}
	if name == "" || config.passes(namespace, name) {
		return p.pass(config)
	}
	file := filepath.Join(config.runDir(), "mesh-cni-orchconfig")
	sidecar, ambient, err := memberOf(file, namespace, name, uid, config.Ambient)
	if err != nil {
		return p.fail(config.CNIVersion, again(fmt.Sprintf("pod %s/%s cannot be read", namespace, name),
			fmt.Errorf("%v; %v", failure.err, err)))
	}
	if sidecar {
		return p.fail(config.CNIVersion, again(fmt.Sprintf("pod %s/%s has a sidecar", namespace, name), failure.err))
	}
	if ambient {
		return p.fail(config.CNIVersion, again(fmt.Sprintf("pod %s/%s is in ambient mode", namespace, name), failure.err))
	}
	return p.pass(config)
}

// passes reports if a pod needs no rules, by its name alone.
func (c config) passes(namespace, name string) bool {
	agents := c.PodNamespace
	if agents == "" {
		agents = defaultAgentNamespace
	}
	return slices.Contains(c.ExcludeNamespaces, namespace) ||
		namespace == agents && strings.HasPrefix(name, agentPods)
}

// pass prints the result of the plugins before this one.
func (p program) pass(config config) int {
	result := config.PrevResult
	if result == nil {
		result = map[string]json.RawMessage{}
	}
	version, err := json.Marshal(config.CNIVersion)
	if err != nil {
		return p.fail(config.CNIVersion, fault{Code: codeDecode, Msg: err.Error()})
	}
	result["cniVersion"] = version
	return p.print(result)
}

func again(what string, reason error) fault {
	return fault{
		Code: codeAgain, Msg: what + ", and the agent of the node does not answer",
		Details: reason.Error() + ". The kubelet tries again. Check the pod mesh-cni-node of this node.",
	}
}
