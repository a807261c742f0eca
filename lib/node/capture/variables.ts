/**
 * Environment variables of traffic capture. Those with the name of a flag replace its default.
 *
 * @module
 */
import { declareEnv, type EnvVar } from "../../kit/env/mod.ts";

const readers = ["pilot-agent"] as const;

/** Variables without a flag. */
export const CAPTURE_VARIABLES: {
  readonly proxyUser: EnvVar<string>;
  readonly dryRunFile: EnvVar<string | undefined>;
  readonly mode: EnvVar<string | undefined>;
  readonly mark: EnvVar<string | undefined>;
  readonly loopback: EnvVar<string>;
  readonly groups: EnvVar<string>;
  readonly groupsExclude: EnvVar<string | undefined>;
  readonly dualStack: EnvVar<boolean>;
} = {
  proxyUser: declareEnv({
    name: "DATAPROXY_USER",
    type: "string",
    default: "mesh-proxy",
    doc: "User that the proxy runs as; its ids are the default of --proxy-uid and --proxy-gid.",
    readers,
  }),
  dryRunFile: declareEnv({
    name: "DRY_RUN_FILE_PATH",
    type: "string",
    doc:
      "With --dry-run, file that the commands and the input of iptables-restore are appended to.",
    readers,
  }),
  mode: declareEnv({
    name: "INBOUND_INTERCEPTION_MODE",
    type: "string",
    choices: ["REDIRECT", "TPROXY"],
    doc: "Capture mode of inbound traffic, if --mesh-inbound-interception-mode is not given.",
    readers,
  }),
  mark: declareEnv({
    name: "INBOUND_TPROXY_MARK",
    type: "string",
    doc: "Packet mark, if --mesh-inbound-tproxy-mark is not given.",
    readers,
  }),
  loopback: declareEnv({
    name: "MESH_OUTBOUND_IPV4_LOOPBACK_CIDR",
    type: "string",
    default: "127.0.0.1/32",
    doc: "Loopback addresses whose traffic is not captured.",
    readers,
  }),
  groups: declareEnv({
    name: "MESH_OUTBOUND_OWNER_GROUPS",
    type: "string",
    default: "*",
    doc: "Groups whose outbound traffic is captured, separated by commas; * for all.",
    readers,
  }),
  groupsExclude: declareEnv({
    name: "MESH_OUTBOUND_OWNER_GROUPS_EXCLUDE",
    type: "string",
    doc: "Groups whose outbound traffic is not captured, when all others are.",
    readers,
  }),
  dualStack: declareEnv({
    name: "MESH_DUAL_STACK",
    type: "bool",
    default: false,
    doc: "Support workloads with IPv4 and IPv6 addresses.",
    readers,
  }),
};

/** Variables that replace the default of a flag. */
export const CAPTURE_FLAG_VARIABLES: {
  readonly dropInvalid: EnvVar<boolean>;
  readonly trace: EnvVar<boolean>;
  readonly dns: EnvVar<boolean>;
  readonly inboundPorts: EnvVar<string | undefined>;
  readonly inboundExclude: EnvVar<string | undefined>;
  readonly outboundPorts: EnvVar<string | undefined>;
  readonly outboundExclude: EnvVar<string | undefined>;
  readonly ranges: EnvVar<string | undefined>;
  readonly rangesExclude: EnvVar<string | undefined>;
  readonly virtualInterfaces: EnvVar<string | undefined>;
  readonly excludeInterfaces: EnvVar<string | undefined>;
} = {
  dropInvalid: declareEnv({
    name: "INVALID_DROP",
    type: "bool",
    default: false,
    doc: "Default of --drop-invalid.",
    readers,
  }),
  trace: declareEnv({
    name: "IPTABLES_TRACE_LOGGING",
    type: "bool",
    default: false,
    doc: "Default of --iptables-trace-logging; needs NET_ADMIN.",
    readers,
  }),
  dns: declareEnv({
    name: "MESH_META_DNS_CAPTURE",
    type: "bool",
    default: false,
    doc: "Capture DNS queries: default of --redirect-dns, and the agent answers them.",
    readers,
  }),
  inboundPorts: declareEnv({
    name: "MESH_INBOUND_PORTS",
    type: "string",
    doc: "Default of --mesh-inbound-ports.",
    readers,
  }),
  inboundExclude: declareEnv({
    name: "MESH_LOCAL_EXCLUDE_PORTS",
    type: "string",
    doc: "Default of --mesh-local-exclude-ports.",
    readers,
  }),
  outboundPorts: declareEnv({
    name: "MESH_OUTBOUND_PORTS",
    type: "string",
    doc: "Default of --mesh-outbound-ports.",
    readers,
  }),
  outboundExclude: declareEnv({
    name: "MESH_LOCAL_OUTBOUND_PORTS_EXCLUDE",
    type: "string",
    doc: "Default of --mesh-local-outbound-ports-exclude.",
    readers,
  }),
  ranges: declareEnv({
    name: "MESH_SERVICE_CIDR",
    type: "string",
    doc: "Default of --mesh-service-cidr.",
    readers,
  }),
  rangesExclude: declareEnv({
    name: "MESH_SERVICE_EXCLUDE_CIDR",
    type: "string",
    doc: "Default of --mesh-service-exclude-cidr.",
    readers,
  }),
  virtualInterfaces: declareEnv({
    name: "ORCH_VIRT_INTERFACES",
    type: "string",
    doc: "Default of --orch-virt-interfaces.",
    readers,
  }),
  excludeInterfaces: declareEnv({
    name: "MESH_EXCLUDE_INTERFACES",
    type: "string",
    doc: "Default of --mesh-exclude-interfaces; mesh-clean-iptables reads it too.",
    readers,
  }),
};
