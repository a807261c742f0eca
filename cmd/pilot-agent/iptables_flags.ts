import type { FlagSpec } from "../../lib/cli/mod.ts";

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
  description: "Call no other program",
};
const INTERCEPTION_MODE: FlagSpec = {
  name: "mesh-inbound-interception-mode",
  short: "m",
  type: "string",
  choices: ["REDIRECT", "TPROXY"],
  description: "How inbound connections are led to the proxy",
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
  description: "Lead DNS traffic to the agent",
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

function toggle(name: string, description: string): FlagSpec {
  return { name, type: "bool", description };
}

/** The flags of `pilot-agent mesh-iptables`. */
export const IPTABLES_FLAGS: readonly FlagSpec[] = [
  CAPTURE_ALL_DNS,
  toggle("cleanup-only", "Remove the rules and make none"),
  toggle("cni-mode", "Run as a CNI plugin"),
  text("dataproxy-port", "p", "Port that all outbound TCP traffic is led to", "15001"),
  toggle("drop-invalid", "Drop packets in invalid state"),
  DRY_RUN,
  toggle("dual-stack", "Redirect both IPv4 and IPv6"),
  toggle("force-apply", "Apply the rules even if they seem to be in place"),
  text("inbound-capture-port", "z", "Port that all inbound TCP traffic is led to", "15006"),
  text("inbound-tunnel-port", "e", "Port of tunnelled inbound TCP traffic", "15008"),
  {
    name: "iptables-probe-port",
    type: "uint16",
    default: "15002",
    description: "Port to listen on while the rules are tried",
  },
  toggle("iptables-trace-logging", "Add a LOG rule for each rule"),
  text("mesh-exclude-interfaces", "c", "Comma-separated interfaces that are never captured"),
  INTERCEPTION_MODE,
  text("mesh-inbound-ports", "b", "Inbound ports to redirect, comma-separated; * for all"),
  { ...TPROXY_MARK, default: "1337" },
  text("mesh-inbound-tproxy-route-table", "r", "Routing table for TPROXY", "133"),
  text("mesh-local-exclude-ports", "d", "Inbound ports left out when all are redirected"),
  text("mesh-local-outbound-ports-exclude", "o", "Outbound ports left out, comma-separated"),
  text("mesh-outbound-ports", "q", "Outbound ports to redirect whatever their address"),
  text("mesh-service-cidr", "i", "Address ranges to redirect, comma-separated; * for all"),
  text("mesh-service-exclude-cidr", "x", "Address ranges left out when all are redirected"),
  { name: "network-namespace", type: "string", description: "Network namespace to work in" },
  text(
    "orch-virt-interfaces",
    "k",
    "Virtual interfaces whose inbound traffic counts as outbound, comma-separated",
  ),
  {
    name: "probe-timeout",
    type: "duration",
    default: "5s",
    description: "How long trying the rules may take",
  },
  PROXY_GID,
  PROXY_UID,
  toggle("reconcile", "Put differing rules that are there already right, and do not fail"),
  REDIRECT_DNS,
  toggle("run-validation", "Try the rules after applying them"),
  toggle("skip-rule-apply", "Apply no rules"),
];
