/**
 * The rooms of `lib/`, wing by wing, from the foundations down to the views: the
 * one table of what exists, what each may import, and which packages it brings in.
 * The lint plugin, `deno task rooms` and a test of `docs/architecture.md` read it.
 *
 * A room imports only rooms that stand above it, only through their `mod.ts`, and
 * only rooms of its own wing or of a wing above that one.
 *
 * @module
 */

/** A folder of rooms: `lib/WING/ROOM`. */
export type Wing = "kit" | "mesh" | "node" | "cluster" | "insight";

/** Wing → wings whose rooms it may import beside its own. `node`, `cluster` and `insight` do not know each other. */
export const ABOVE: Readonly<Record<Wing, readonly Wing[]>> = {
  kit: [],
  mesh: ["kit"],
  node: ["kit", "mesh"],
  cluster: ["kit", "mesh"],
  insight: ["kit", "mesh"],
};

/** One row of the table. */
export interface Room {
  readonly name: string;
  readonly wing: Wing;
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
  { name: "base", wing: "kit", pure: "safe", purpose: "errors, durations, hashes, canonical JSON" },
  { name: "async", wing: "kit", purpose: "waiting: sleep, back-off, rates, fair queues" },
  { name: "env", wing: "kit", purpose: "declaring and reading environment variables" },
  { name: "cli", wing: "kit", purpose: "commands and flags from tables" },
  {
    name: "log",
    wing: "kit",
    packages: ["@logtape/logtape"],
    purpose: "scoped, structured log lines",
  },
  {
    name: "metrics",
    wing: "kit",
    packages: ["prom-client"],
    purpose: "counters, gauges, histograms",
  },
  {
    name: "text",
    wing: "kit",
    pure: "safe",
    packages: ["js-yaml", "re2js", "ipaddr.js"],
    purpose: "YAML with positions, regular expressions, IP addresses",
  },
  {
    name: "proto",
    wing: "kit",
    pure: "safe",
    packages: ["@bufbuild/protobuf"],
    purpose: "the wire codec and the generated messages",
  },
  {
    name: "rpc",
    wing: "kit",
    packages: ["@grpc/grpc-js"],
    purpose: "gRPC servers and clients with limits, over Mesh's HTTP/2 or grpc-js",
  },
  {
    name: "template",
    wing: "kit",
    pure: "safe",
    purpose: "the language of Go's templates, with limits and positions",
  },
  { name: "key", wing: "kit", pure: "held", purpose: "typed keys of rows, as text and parts" },
  {
    name: "orch",
    wing: "kit",
    packages: ["@kubernetes/client-node"],
    purpose: "the orchestrator's API: list, watch, write",
  },
  {
    name: "pki",
    wing: "kit",
    packages: ["@peculiar/x509", "reflect-metadata"],
    purpose: "keys, certificates, trust bundles",
  },
  {
    name: "web",
    wing: "kit",
    packages: ["preact", "preact-render-to-string"],
    purpose: "HTTP listeners, routes, pages",
  },
  { name: "prometheus", wing: "kit", purpose: "questions to a Prometheus" },
  {
    name: "graph",
    wing: "mesh",
    pure: "held",
    purpose: "the engine: tables, recorded reads, collections, layers",
  },
  {
    name: "schema",
    wing: "mesh",
    pure: "held",
    purpose: "the kinds of configuration: parse, default, validate",
  },
  {
    name: "model",
    wing: "mesh",
    pure: "held",
    purpose: "data types: objects, services, endpoints, proxies",
  },
  {
    name: "gateway_api",
    wing: "mesh",
    pure: "held",
    purpose: "what the objects of the Gateway API mean: binding, conversion, conditions",
  },
  {
    name: "ambient",
    wing: "mesh",
    pure: "held",
    purpose: "ambient mode: waypoints, workloads, services and policies for node proxies",
  },
  { name: "derive", wing: "mesh", pure: "held", purpose: "the mesh as a whole, without proxies" },
  {
    name: "ingest",
    wing: "mesh",
    pure: "held",
    purpose: "from the sources into the tables: collect, debounce, order, write, publish",
  },
  {
    name: "envoy",
    wing: "mesh",
    pure: "held",
    only: ["base", "text", "proto", "schema", "model"],
    purpose: "builders of Envoy messages from plain data",
  },
  {
    name: "sources",
    wing: "mesh",
    purpose: "read configuration from files and other places, report it to ingest",
  },
  { name: "translate", wing: "mesh", pure: "held", purpose: "xDS resources of a proxy class" },
  {
    name: "xds",
    wing: "mesh",
    not: ["schema", "sources", "derive", "translate"],
    purpose: "xDS sessions: differences, order, queues, quarantine",
  },
  {
    name: "environment",
    wing: "mesh",
    purpose: "environment variables of pure rooms, read into plain data",
  },
  { name: "sds", wing: "node", purpose: "certificates for the proxy" },
  { name: "sts", wing: "node", purpose: "the security token service: exchange of tokens" },
  { name: "probes", wing: "node", purpose: "probes of the workload's application" },
  {
    name: "wasm",
    wing: "node",
    packages: ["nanotar"],
    purpose: "fetching Wasm modules for the proxy",
  },
  {
    name: "agent",
    wing: "node",
    purpose: "beside the proxy: bootstrap, life cycle, xDS relay, readiness",
  },
  { name: "resolv", wing: "node", purpose: "settings of the host's resolver" },
  { name: "dns", wing: "node", purpose: "DNS answers on the node" },
  { name: "capture", wing: "node", purpose: "redirecting a workload's traffic" },
  { name: "cni", wing: "node", purpose: "the network plugin of the node" },
  {
    name: "repair",
    wing: "node",
    purpose: "pods that started before the network plugin: found and repaired",
  },
  {
    name: "cni_install",
    wing: "node",
    purpose: "the network plugin's files on a node: installing, repairing and removing them",
  },
  {
    name: "ambient_pods",
    wing: "node",
    purpose: "pods of a node in ambient mode: rules, and messages to node proxies",
  },
  { name: "authn", wing: "cluster", packages: ["jose"], purpose: "authentication of callers" },
  { name: "ca", wing: "cluster", purpose: "issuing workload certificates" },
  {
    name: "inject",
    wing: "cluster",
    pure: "held",
    purpose: "injection of the proxy into workloads",
  },
  {
    name: "charts",
    wing: "cluster",
    purpose: "charts of the installation: values, templates, objects",
  },
  {
    name: "operator",
    wing: "cluster",
    pure: "safe",
    purpose: "MeshOperator documents: profiles, overlays, the objects of an installation",
  },
  {
    name: "manifests",
    wing: "cluster",
    purpose: "commands about manifests and profiles: documents read, printed and compared",
  },
  {
    name: "injectors",
    wing: "cluster",
    purpose: "which injectors put the proxy into a pod, and injection by hand",
  },
  { name: "webhooks", wing: "cluster", purpose: "admission: validation and mutation" },
  {
    name: "controllers",
    wing: "cluster",
    purpose: "writing to the orchestrator, by one of several daemons: leader election",
  },
  { name: "roles", wing: "cluster", purpose: "the rights that a daemon needs in clusters" },
  {
    name: "machines",
    wing: "cluster",
    purpose: "WorkloadGroups, and the files with which machines join the mesh",
  },
  {
    name: "remote_secrets",
    wing: "cluster",
    purpose: "secrets with which daemons of other clusters read this one",
  },
  { name: "revision_tags", wing: "cluster", purpose: "names for revisions of the control plane" },
  { name: "waypoints", wing: "cluster", purpose: "making, removing and showing waypoints" },
  {
    name: "installer",
    wing: "cluster",
    purpose: "installing a mesh in a cluster, verifying and removing it",
  },
  {
    name: "diff",
    wing: "insight",
    pure: "held",
    purpose: "differences of two resources, field by field",
  },
  {
    name: "config_dump",
    wing: "insight",
    pure: "held",
    only: ["base", "text"],
    purpose: "summaries of the configuration and the state of proxies",
  },
  {
    name: "cluster_access",
    wing: "insight",
    purpose: "the cluster that a command names: API, pods and their ports",
  },
  {
    name: "daemon_client",
    wing: "insight",
    purpose: "the daemons that a command names, and debug queries to them",
  },
  {
    name: "learned_scopes",
    wing: "insight",
    purpose: "what workload classes asked for on demand, over all daemons, and as Sidecars",
  },
  {
    name: "daemons",
    wing: "insight",
    purpose: "versions, log levels and pages of running daemons; waiting for edits",
  },
  {
    name: "proxies",
    wing: "insight",
    purpose: "configuration, state, log levels and metrics of running proxies",
  },
  { name: "analyze", wing: "insight", pure: "held", purpose: "finding mistakes in configuration" },
  {
    name: "mesh_input",
    wing: "insight",
    purpose: "configuration that a command names: files, a live cluster",
  },
  { name: "describe", wing: "insight", purpose: "pods and services in words" },
  {
    name: "migrate",
    wing: "insight",
    pure: "held",
    purpose: "manifests of an Istio mesh under the names of Mesh",
  },
  {
    name: "checks",
    wing: "insight",
    purpose: "analysis, validation and conversion of files; analysis of a cluster",
  },
  {
    name: "bug_report",
    wing: "insight",
    purpose: "an archive of the state of a cluster, without secrets",
  },
  { name: "monitor", wing: "insight", purpose: "metrics and warnings about the mesh as a whole" },
  {
    name: "receipts",
    wing: "insight",
    purpose: "edits with what they changed, and who acknowledged",
  },
  {
    name: "history",
    wing: "insight",
    purpose: "past revisions: differences, recordings, replay, audit",
  },
  { name: "whatif", wing: "insight", purpose: "what an edit would change, without applying it" },
  {
    name: "simulate",
    wing: "insight",
    pure: "held",
    purpose: "outcome of a request under given resources",
  },
  {
    name: "verdict",
    wing: "insight",
    pure: "held",
    purpose: "explained requests as plain data: types, verdict, text",
  },
  {
    name: "explain",
    wing: "insight",
    pure: "held",
    purpose: "the path of a request with the objects behind it",
  },
  {
    name: "incident",
    wing: "insight",
    purpose: "a failed request as it was seen, and what is behind it",
  },
  {
    name: "offline",
    wing: "insight",
    purpose: "a mesh from files, without daemon: its proxies, requests and changes",
  },
  {
    name: "questions",
    wing: "insight",
    purpose: "questions about requests and changes, to files, a cluster or a daemon",
  },
  {
    name: "precheck",
    wing: "insight",
    purpose: "fitness of a cluster for an installation or an upgrade",
  },
  {
    name: "picture",
    wing: "insight",
    pure: "held",
    only: [],
    purpose: "graphs and plots as trees of SVG elements",
  },
  {
    name: "introspect",
    wing: "insight",
    purpose: "introspection of the process: log levels, memory, profiles, exit",
  },
  { name: "debug", wing: "insight", purpose: "read-only views of the daemon" },
];

const POSITION: ReadonlyMap<string, number> = new Map(ROOMS.map((room, i) => [room.name, i]));

/** The row of a room, if there is such a room. */
export function roomNamed(name: string): Room | undefined {
  const at = POSITION.get(name);
  return at === undefined ? undefined : ROOMS[at];
}

/** The path of a room's folder, relative to the project's root. */
export function folderOf(room: Room): string {
  return `lib/${room.wing}/${room.name}`;
}

/** The reason why a room must not import another one; `undefined` when it may. */
export function whyNot(from: Room, to: Room): string | undefined {
  if (from === to) return undefined;
  if (from.wing !== to.wing && !ABOVE[from.wing].includes(to.wing)) {
    return `room ${from.name} is in wing ${from.wing}, which must not know wing ${to.wing} of room ${to.name}`;
  }
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
