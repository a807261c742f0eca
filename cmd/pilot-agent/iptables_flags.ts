import type { FlagSpec } from "../../lib/kit/cli/mod.ts";

const CAPTURE_ALL_DNS: FlagSpec = {
  name: "capture-all-dns",
  type: "bool",
  description:
    "With --redirect-dns, capture all DNS traffic on port 53 and not only what goes to " +
    "the configured servers",
};
const DRY_RUN: FlagSpec = {
  name: "dry-run",
  short: "n",
  type: "bool",
  description: "Print the settings and the rules, and call no other program",
};
const INTERCEPTION_MODE: FlagSpec = {
  name: "mesh-inbound-interception-mode",
  short: "m",
  type: "string",
  choices: ["REDIRECT", "TPROXY"],
  description: "How inbound connections are captured",
};
const TPROXY_MARK: FlagSpec = {
  name: "mesh-inbound-tproxy-mark",
  short: "t",
  type: "string",
  description: "Mark for TPROXY",
};
const PROXY_GID: FlagSpec = {
  name: "proxy-gid",
  short: "g",
  type: "string",
  description: "Group ids whose traffic is not redirected; by default as for --proxy-uid",
};
const PROXY_UID: FlagSpec = {
  name: "proxy-uid",
  short: "u",
  type: "string",
  description: "User ids whose traffic is not redirected, as a rule the proxy's",
};
const REDIRECT_DNS: FlagSpec = {
  name: "redirect-dns",
  type: "bool",
  env: "MESH_META_DNS_CAPTURE",
  description: "Redirect DNS traffic to the agent",
};

/** The flags of `pilot-agent mesh-clean-iptables`. */
export const CLEAN_IPTABLES_FLAGS: readonly FlagSpec[] = [
  CAPTURE_ALL_DNS,
  DRY_RUN,
  INTERCEPTION_MODE,
  TPROXY_MARK,
  PROXY_GID,
  PROXY_UID,
  REDIRECT_DNS,
];

function text(name: string, short: string, description: string, preset?: string): FlagSpec {
  return { name, short, type: "string", description, default: preset };
}

/** A flag whose default an environment variable replaces; `lib/node/capture` declares the variable. */
function fromEnv(env: string, flag: FlagSpec): FlagSpec {
  return { ...flag, env };
}

function toggle(name: string, description: string): FlagSpec {
  return { name, type: "bool", description };
}

/** The flags of `pilot-agent mesh-iptables`. */
export const IPTABLES_FLAGS: readonly FlagSpec[] = [
  CAPTURE_ALL_DNS,
  toggle("cleanup-only", "Remove the rules only"),
  toggle(
    "cni-mode",
    "Run for a CNI plugin: needs --network-namespace, and captures all DNS traffic if any",
  ),
  text("dataproxy-port", "p", "Port that outbound TCP traffic is redirected to", "15001"),
  fromEnv("INVALID_DROP", toggle("drop-invalid", "Drop packets in invalid state")),
  DRY_RUN,
  toggle("dual-stack", "Redirect both IPv4 and IPv6"),
  toggle("force-apply", "Replace the rules even if they are in place as planned"),
  text("inbound-capture-port", "z", "Port that inbound TCP traffic is redirected to", "15006"),
  text("inbound-tunnel-port", "e", "Port of tunnelled inbound TCP traffic", "15008"),
  {
    name: "iptables-probe-port",
    type: "uint16",
    default: "15002",
    description: "Destination port of the trial connections",
  },
  fromEnv(
    "IPTABLES_TRACE_LOGGING",
    toggle("iptables-trace-logging", "Log captured connections to NFLOG group 1337"),
  ),
  fromEnv(
    "MESH_EXCLUDE_INTERFACES",
    text("mesh-exclude-interfaces", "c", "Comma-separated interfaces that are never captured"),
  ),
  INTERCEPTION_MODE,
  fromEnv(
    "MESH_INBOUND_PORTS",
    text("mesh-inbound-ports", "b", "Inbound ports to redirect, comma-separated; * for all"),
  ),
  { ...TPROXY_MARK, default: "1337" },
  text("mesh-inbound-tproxy-route-table", "r", "Routing table for TPROXY", "133"),
  fromEnv(
    "MESH_LOCAL_EXCLUDE_PORTS",
    text("mesh-local-exclude-ports", "d", "Inbound ports left out when all are redirected"),
  ),
  fromEnv(
    "MESH_LOCAL_OUTBOUND_PORTS_EXCLUDE",
    text("mesh-local-outbound-ports-exclude", "o", "Outbound ports left out, comma-separated"),
  ),
  fromEnv(
    "MESH_OUTBOUND_PORTS",
    text("mesh-outbound-ports", "q", "Outbound ports to redirect whatever their address"),
  ),
  fromEnv(
    "MESH_SERVICE_CIDR",
    text("mesh-service-cidr", "i", "Address ranges to redirect, comma-separated; * for all"),
  ),
  fromEnv(
    "MESH_SERVICE_EXCLUDE_CIDR",
    text("mesh-service-exclude-cidr", "x", "Address ranges left out when all are redirected"),
  ),
  {
    name: "network-namespace",
    type: "string",
    description: "Network namespace to set up: a path, or a name of `ip netns`",
  },
  fromEnv(
    "ORCH_VIRT_INTERFACES",
    text(
      "orch-virt-interfaces",
      "k",
      "Virtual interfaces whose inbound traffic counts as outbound, comma-separated",
    ),
  ),
  {
    name: "probe-timeout",
    type: "duration",
    default: "5s",
    description: "Time limit of a trial connection",
  },
  PROXY_GID,
  PROXY_UID,
  toggle("reconcile", "Replace rules that differ, instead of failing"),
  REDIRECT_DNS,
  toggle("run-validation", "Try the rules with a connection; exit status 126 if they do not work"),
  toggle("skip-rule-apply", "Apply no rules"),
];
