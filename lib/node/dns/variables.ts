/**
 * Environment variables of the DNS proxy.
 *
 * @module
 */
import { declareEnv } from "../../kit/env/mod.ts";

const readers = ["pilot-agent"] as const;

const ADDRESS = declareEnv({
  name: "DNS_PROXY_ADDR",
  type: "string",
  default: "localhost:15053",
  doc:
    "Address of the DNS proxy, UDP and TCP; with port 53 resolv.conf can name it, without capture.",
  readers,
});
const PARALLEL = declareEnv({
  name: "DNS_FORWARD_PARALLEL",
  type: "bool",
  default: false,
  doc: "Ask all nameservers at once and use the first answer.",
  readers,
});
const CAPTURE = declareEnv({
  name: "MESH_META_DNS_CAPTURE",
  type: "bool",
  default: false,
  doc: "Capture DNS queries: default of --redirect-dns, and the agent answers them.",
  readers,
});
const SERVER = declareEnv({
  name: "MESH_META_ENABLE_DNS_SERVER",
  type: "bool",
  default: false,
  doc: "The agent answers DNS queries, without capturing any.",
  readers,
});

/** Values of the variables. */
export interface DnsEnv {
  readonly enabled: boolean;
  /** `host:port`. */
  readonly address: string;
  readonly parallel: boolean;
}

/** Reads them. */
export function readDnsEnv(): DnsEnv {
  return {
    enabled: CAPTURE.get() || SERVER.get(),
    address: ADDRESS.get(),
    parallel: PARALLEL.get(),
  };
}
