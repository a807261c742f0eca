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
  /** What it is there for, as the architecture page says it. */
  readonly purpose: string;
  /**
   * `held`: no clock, randomness, network, files, process state; checked.
   * `safe`: not held to that rule (it wraps a library or a hash), but the same
   * arguments give the same results, so pure rooms may call it.
   */
  readonly pure?: "held" | "safe";
  /** npm packages that this room alone imports. */
  readonly packages?: readonly string[];
  /** Rooms above it that it shall not know nevertheless. */
  readonly not?: readonly string[];
}

/** In order: a room sees those before it. */
export const ROOMS: readonly Room[] = [
  { name: "base", pure: "safe", purpose: "errors, durations, hashes, canonical JSON" },
  { name: "env", purpose: "declaring and reading environment variables" },
  { name: "cli", packages: ["commander"], purpose: "commands and flags from tables" },
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
    purpose: "the engine: tables, tracked reads, collections, layers",
  },
  {
    name: "proto",
    pure: "safe",
    packages: ["@bufbuild/protobuf"],
    purpose: "the wire codec and the generated messages",
  },
  { name: "diff", pure: "held", purpose: "what differs between two resources, field by field" },
  {
    name: "rpc",
    packages: ["@grpc/grpc-js"],
    purpose: "gRPC servers and clients with limits, and the HTTP/2 under them",
  },
  { name: "orch", purpose: "the orchestrator's API: list, watch, write" },
  { name: "pki", purpose: "keys, certificates, trust bundles" },
  {
    name: "web",
    packages: ["preact", "preact-render-to-string"],
    purpose: "HTTP listeners, routes, pages",
  },
  {
    name: "schema",
    pure: "held",
    purpose: "the kinds of configuration: parse, default, validate",
  },
  { name: "model", pure: "held", purpose: "the nouns: objects, services, endpoints, proxies" },
  { name: "sources", purpose: "fill the input tables from files and other places, nothing else" },
  { name: "derive", pure: "held", purpose: "what the mesh is, without a proxy in sight" },
  {
    name: "ingest",
    pure: "held",
    purpose: "from the sources into the tables: collect, debounce, order, write, publish",
  },
  {
    name: "envoy",
    pure: "held",
    not: ["graph", "sources"],
    purpose: "builders of Envoy messages from plain data",
  },
  { name: "translate", pure: "held", purpose: "xDS resources of a proxy class" },
  {
    name: "serve",
    not: ["schema", "sources", "derive", "translate"],
    purpose: "sessions: what each proxy holds, and what it is sent",
  },
  { name: "settings", purpose: "environment variables of pure rooms, read into plain data" },
  { name: "monitor", purpose: "metrics and warnings about the mesh as a whole" },
  { name: "receipts", purpose: "which edit changed what, who was sent it and who acknowledged" },
  { name: "history", purpose: "what changed when: revisions, differences, replay" },
  { name: "whatif", purpose: "what an edit would change, without making it" },
  { name: "ca", purpose: "issuing workload certificates" },
  { name: "authn", purpose: "who is calling" },
  { name: "inject", purpose: "adding the proxy to workloads" },
  { name: "webhook", purpose: "admission: validation and mutation" },
  { name: "status", purpose: "writing status back to the orchestrator" },
  { name: "leader", purpose: "which replica does the writing" },
  { name: "analyze", pure: "held", purpose: "finding mistakes in configuration" },
  { name: "explain", pure: "held", purpose: "why a resource is what it is" },
  { name: "simulate", pure: "held", purpose: "what happens to a call under given resources" },
  { name: "agent", purpose: "beside the proxy: bootstrap, life cycle, xDS relay, readiness" },
  { name: "sds", purpose: "handing certificates to the proxy" },
  { name: "dns", purpose: "answering names on the node" },
  { name: "wasm", purpose: "fetching proxy extensions" },
  { name: "capture", purpose: "redirecting a workload's traffic" },
  { name: "cni", purpose: "the network plugin of the node" },
  { name: "install", purpose: "charts, profiles, overlays" },
  { name: "introspect", purpose: "the process itself: log levels, memory, profiles, stopping it" },
  { name: "debug", purpose: "read-only views of the daemon" },
];

const POSITION: ReadonlyMap<string, number> = new Map(ROOMS.map((room, i) => [room.name, i]));

/** The row of a room, if there is such a room. */
export function roomNamed(name: string): Room | undefined {
  const at = POSITION.get(name);
  return at === undefined ? undefined : ROOMS[at];
}

/** Why a room shall not import another one; `undefined` when it may. */
export function whyNot(from: Room, to: Room): string | undefined {
  if (from === to) return undefined;
  if (POSITION.get(to.name)! > POSITION.get(from.name)!) {
    return `room ${to.name} stands below room ${from.name}; a room imports only rooms above it`;
  }
  if (from.pure === "held" && to.pure === undefined) {
    return `room ${from.name} is pure and room ${to.name} is not; what it needs is handed in`;
  }
  if (from.not?.includes(to.name)) {
    return `room ${from.name} shall not know room ${to.name}`;
  }
  return undefined;
}

/** The room that may import an npm package, if one may. */
export function roomOfPackage(name: string): Room | undefined {
  return ROOMS.find((room) => room.packages?.includes(name));
}
