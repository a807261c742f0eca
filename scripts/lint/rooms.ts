/**
 * The rooms of `lib/`, from the foundations down to the views: the one table
 * of what exists, what each may import, and which packages it brings in. The
 * lint plugin, `deno task rooms` and a test of `docs/architecture.md` read it.
 *
 * A room imports only rooms that stand above it, only through their `mod.ts`.
 *
 * @module
 */

/** One row of the table. */
export interface Room {
  readonly name: string;
  /** Its purpose, for the architecture page. */
  readonly purpose: string;
  /**
   * `held`: no clock, randomness, network, files, process state; checked.
   * `safe`: not held to that rule (it wraps a library or a hash), but the same
   * arguments give the same results, so pure rooms may call it.
   */
  readonly pure?: "held" | "safe";
  /** npm packages that this room alone imports. */
  readonly packages?: readonly string[];
  /** Rooms above it that it must not import. */
  readonly not?: readonly string[];
  /** The only rooms that it may import; absent: all above it. */
  readonly only?: readonly string[];
}

/** In order: a room may import those before it. */
export const ROOMS: readonly Room[] = [
  { name: "base", pure: "safe", purpose: "errors, durations, hashes, canonical JSON" },
  { name: "env", purpose: "declaring and reading environment variables" },
  { name: "cli", purpose: "commands and flags from tables" },
  { name: "log", packages: ["@logtape/logtape"], purpose: "scoped, structured log lines" },
  { name: "metrics", packages: ["prom-client"], purpose: "counters, gauges, histograms" },
  {
    name: "text",
    pure: "safe",
    packages: ["js-yaml", "re2js", "ipaddr.js"],
    purpose: "YAML with positions, regular expressions, IP addresses",
  },
  {
    name: "graph",
    pure: "held",
    purpose: "the engine: tables, recorded reads, collections, layers",
  },
  {
    name: "proto",
    pure: "safe",
    packages: ["@bufbuild/protobuf"],
    purpose: "the wire codec and the generated messages",
  },
  { name: "diff", pure: "held", purpose: "differences of two resources, field by field" },
  {
    name: "rpc",
    packages: ["@grpc/grpc-js"],
    purpose: "gRPC servers and clients with limits, over an own HTTP/2 or grpc-js",
  },
  { name: "orch", purpose: "the orchestrator's API: list, watch, write" },
  {
    name: "config_dump",
    pure: "held",
    only: ["base", "text"],
    purpose: "summaries of the configuration and the state of proxies",
  },
  {
    name: "pki",
    packages: ["@peculiar/x509", "reflect-metadata"],
    purpose: "keys, certificates, trust bundles",
  },
  { name: "daemon_client", purpose: "debug queries to a daemon, over HTTP and xDS" },
  { name: "authn", packages: ["jose"], purpose: "authentication of callers" },
  { name: "sds", purpose: "certificates for the proxy" },
  {
    name: "web",
    packages: ["preact", "preact-render-to-string"],
    purpose: "HTTP listeners, routes, pages",
  },
  { name: "prometheus", purpose: "questions to a Prometheus" },
  { name: "sts", purpose: "the security token service: exchange of tokens" },
  {
    name: "schema",
    pure: "held",
    purpose: "the kinds of configuration: parse, default, validate",
  },
  { name: "model", pure: "held", purpose: "data types: objects, services, endpoints, proxies" },
  { name: "derive", pure: "held", purpose: "the mesh as a whole, without proxies" },
  {
    name: "ingest",
    pure: "held",
    purpose: "from the sources into the tables: collect, debounce, order, write, publish",
  },
  { name: "analyze", pure: "held", purpose: "finding mistakes in configuration" },
  {
    name: "envoy",
    pure: "held",
    only: ["base", "text", "proto", "schema", "model"],
    purpose: "builders of Envoy messages from plain data",
  },
  {
    name: "sources",
    purpose: "read configuration from files and other places, report it to ingest",
  },
  { name: "translate", pure: "held", purpose: "xDS resources of a proxy class" },
  {
    name: "serve",
    not: ["schema", "sources", "derive", "translate"],
    purpose: "xDS sessions: differences, order, queues, quarantine",
  },
  { name: "settings", purpose: "environment variables of pure rooms, read into plain data" },
  { name: "monitor", purpose: "metrics and warnings about the mesh as a whole" },
  { name: "receipts", purpose: "edits with what they changed, and who acknowledged" },
  { name: "history", purpose: "past revisions: differences, recordings, replay, audit" },
  { name: "whatif", purpose: "what an edit would change, without applying it" },
  { name: "ca", purpose: "issuing workload certificates" },
  { name: "inject", pure: "held", purpose: "injection of the proxy into workloads" },
  { name: "webhooks", purpose: "admission: validation and mutation" },
  {
    name: "controllers",
    purpose: "writing to the orchestrator, by one of several daemons: leader election",
  },
  { name: "simulate", pure: "held", purpose: "outcome of a request under given resources" },
  { name: "explain", pure: "held", purpose: "the path of a request with the objects behind it" },
  {
    name: "offline",
    purpose: "a mesh from files, without daemon: its proxies, requests and changes",
  },
  { name: "probes", purpose: "probes of the workload's application" },
  {
    name: "wasm",
    packages: ["nanotar"],
    purpose: "fetching Wasm modules for the proxy",
  },
  { name: "agent", purpose: "beside the proxy: bootstrap, life cycle, xDS relay, readiness" },
  { name: "dns", purpose: "DNS answers on the node" },
  { name: "capture", purpose: "redirecting a workload's traffic" },
  { name: "cni", purpose: "the network plugin of the node" },
  { name: "install", purpose: "charts, profiles, overlays" },
  {
    name: "introspect",
    purpose: "introspection of the process: log levels, memory, profiles, exit",
  },
  { name: "debug", purpose: "read-only views of the daemon" },
];

const POSITION: ReadonlyMap<string, number> = new Map(ROOMS.map((room, i) => [room.name, i]));

/** The row of a room, if there is such a room. */
export function roomNamed(name: string): Room | undefined {
  const at = POSITION.get(name);
  return at === undefined ? undefined : ROOMS[at];
}

/** The reason why a room must not import another one; `undefined` when it may. */
export function whyNot(from: Room, to: Room): string | undefined {
  if (from === to) return undefined;
  if (POSITION.get(to.name)! > POSITION.get(from.name)!) {
    return `room ${to.name} stands below room ${from.name}; a room imports only rooms above it`;
  }
  if (from.pure === "held" && to.pure === undefined) {
    return `room ${from.name} is pure and room ${to.name} is not; what it needs is handed in`;
  }
  if (from.not?.includes(to.name) || from.only?.includes(to.name) === false) {
    return `room ${from.name} must not know room ${to.name}`;
  }
  return undefined;
}

/** The room that may import an npm package, if one may. */
export function roomOfPackage(name: string): Room | undefined {
  return ROOMS.find((room) => room.packages?.includes(name));
}
