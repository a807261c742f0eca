/**
 * Environment variables of ambient mode that have no flag.
 *
 * @module
 */
import { declareEnv, type EnvVar } from "../../../lib/kit/env/mod.ts";

const readers = ["install-cni"] as const;

/** Queries of names go to the node proxy. */
export const AMBIENT_DNS_CAPTURE: EnvVar<boolean> = declareEnv({
  name: "AMBIENT_DNS_CAPTURE",
  type: "bool",
  default: false,
  doc: "Capture DNS queries of pods in ambient mode.",
  readers,
});

/** Rules for IPv6. */
export const AMBIENT_IPV6: EnvVar<boolean> = declareEnv({
  name: "AMBIENT_IPV6",
  type: "bool",
  default: true,
  doc: "Set rules of ambient mode for IPv6, too.",
  readers,
});

/** Source of the node's probes by IPv4. */
export const HOST_PROBE_SNAT_IP: EnvVar<string> = declareEnv({
  name: "HOST_PROBE_SNAT_IP",
  type: "string",
  default: "169.254.7.127",
  doc: "IPv4 source address of the node's health probes.",
  readers,
});

/** Source of the node's probes by IPv6. */
export const HOST_PROBE_SNAT_IPV6: EnvVar<string> = declareEnv({
  name: "HOST_PROBE_SNAT_IPV6",
  type: "string",
  default: "fd16:9254:7127:1337:ffff:ffff:ffff:ffff",
  doc: "IPv6 source address of the node's health probes.",
  readers,
});

/** The network of the node. */
export const HOST_NETWORK_NAMESPACE: EnvVar<string | undefined> = declareEnv({
  name: "HOST_NETWORK_NAMESPACE",
  type: "string",
  doc: "Path at which this process sees the network namespace of the node; when it is not set, " +
    "that of the node's first process below `HOST_ROOT`.",
  readers,
});
