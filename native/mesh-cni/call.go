package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Largest network configuration that is read.
const maxStdin = 1 << 20

const defaultRunDir = "/var/run/mesh-cni"

var supportedVersions = []string{"0.3.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0"}

// Codes of errors, as the standard of CNI has them.
const (
	codeVersion     = 1
	codeEnvironment = 4
	codeIO          = 5
	codeDecode      = 6
	codeConfig      = 7
	codeAgain       = 11
)

// A fault is an error as the container runtime reads it.
type fault struct {
	CNIVersion string `json:"cniVersion"`
	Code       int    `json:"code"`
	Msg        string `json:"msg"`
	Details    string `json:"details,omitempty"`
}

// A config has the fields of the network configuration that concern a call without the agent.
type config struct {
	CNIVersion        string                     `json:"cniVersion"`
	RunDir            string                     `json:"cni_agent_run_dir"`
	ExcludeNamespaces []string                   `json:"exclude_namespaces"`
	PodNamespace      string                     `json:"pod_namespace"`
	Ambient           bool                       `json:"ambient_enabled"`
	PrevResult        map[string]json.RawMessage `json:"prevResult"`
}

func (c config) runDir() string {
	if c.RunDir == "" {
		return defaultRunDir
	}
	return c.RunDir
}

// cniVariables keeps the variables of the standard; nothing else of the runtime's environment is
// handed to the agent.
func cniVariables(environ []string) map[string]string {
	kept := map[string]string{}
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if strings.HasPrefix(name, "CNI_") {
			kept[name] = value
		}
	}
	return kept
}

// readConfig reads the standard input, and what this program needs of it.
func readConfig(stdin io.Reader) (string, config, *fault) {
	text, err := io.ReadAll(io.LimitReader(stdin, maxStdin+1))
	if err != nil {
		return "", config{}, &fault{Code: codeIO, Msg: "the network configuration cannot be read: " + err.Error()}
	}
	if len(text) > maxStdin {
		return "", config{}, &fault{
			Code: codeDecode, Msg: fmt.Sprintf("the network configuration is larger than %d bytes", maxStdin),
			Details: "Check what the configuration of this network has.",
		}
	}
	var read config
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(&read); err != nil {
		const remedy = "Correct the file of the network in the folder of CNI configurations."
		var mistyped *json.UnmarshalTypeError
		if errors.As(err, &mistyped) && mistyped.Field != "" {
			return "", read, &fault{
				Code: codeConfig, Msg: fmt.Sprintf("%s: invalid value, a %s", mistyped.Field, mistyped.Value), Details: remedy,
			}
		}
		return "", read, &fault{Code: codeDecode, Msg: "the network configuration is not JSON: " + err.Error(), Details: remedy}
	}
	if !strings.HasPrefix(read.runDir(), "/") {
		return "", read, &fault{
			Code: codeConfig, Msg: fmt.Sprintf("cni_agent_run_dir: %q is not an absolute path", read.RunDir),
			Details: "Give the folder of the agent's sockets, such as " + defaultRunDir + ".",
		}
	}
	return string(text), read, nil
}

// pod returns the names of the pod; they are empty if the runtime sends none.
func pod(args string) (namespace, name, uid string) {
	for _, entry := range strings.Split(args, ";") {
		key, value, _ := strings.Cut(entry, "=")
		switch key {
		case "K8S_POD_NAMESPACE":
			namespace = value
		case "K8S_POD_NAME":
			name = value
		case "K8S_POD_UID":
			uid = value
		}
	}
	return namespace, name, uid
}

// versions is the answer to VERSION.
func versions(asked string) any {
	if asked == "" {
		asked = supportedVersions[len(supportedVersions)-1]
	}
	return struct {
		CNIVersion string   `json:"cniVersion"`
		Supported  []string `json:"supportedVersions"`
	}{asked, supportedVersions}
}

func (p program) print(value any) int {
	encoder := json.NewEncoder(p.stdout)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		fmt.Fprintln(p.stderr, "mesh-cni:", err)
		return 1
	}
	return 0
}

func (p program) fail(version string, f fault) int {
	f.CNIVersion = version
	if f.CNIVersion == "" {
		f.CNIVersion = supportedVersions[len(supportedVersions)-1]
	}
	p.print(f)
	return 1
}
