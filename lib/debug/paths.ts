/**
 * Every path below `/debug`, as the index page and `/debug/list` name them.
 *
 * @module
 */

/** A path with what it shows. */
export interface DebugPath {
  readonly path: string;
  readonly shows: string;
}

/** Pages for people. */
export const PAGE_PATHS: readonly DebugPath[] = [
  { path: "/debug/proxies", shows: "proxies, their state, what each is served and why" },
  { path: "/debug/objects", shows: "objects, the resources and proxies that each touches" },
  { path: "/debug/pushes", shows: "publications: by which edits, who was sent how much, how long" },
  { path: "/debug/costs", shows: "what edits and tables cost; JSON for scripts; ?top=" },
  {
    path: "/debug/receipts",
    shows: "what became of edits; JSON for scripts; ?resource=Kind/ns/name",
  },
  {
    path: "/debug/quarantine",
    shows: "what is held back because proxies reject it; JSON for scripts",
  },
  { path: "/debug/faults", shows: "computations that failed, rejected documents" },
  { path: "/debug/audit", shows: "whether what is kept is right; JSON for scripts" },
  { path: "/debug/whatif", shows: "POST YAML documents, ?remove=Kind/ns/name, ?format=text" },
];

/** Views for scripts: JSON, each with its query. */
export const JSON_PATHS: readonly DebugPath[] = [
  { path: "/debug/adsz", shows: "proxies with what they watch; ?push=true sends all of it again" },
  { path: "/debug/connections", shows: "proxies without what they watch" },
  {
    path: "/debug/history",
    shows: "publications; ?revision=, ?proxyID=&revision= (what it was served), &from=&to=",
  },
  { path: "/debug/syncz", shows: "what was sent and acknowledged; ?namespace=" },
  {
    path: "/debug/config_dump",
    shows: "what a proxy is served; ?proxyID=NAME.NAMESPACE&types=&why=true",
  },
  { path: "/debug/why", shows: "who decided what about a resource; ?proxyID=&type=&name=" },
  { path: "/debug/edsz", shows: "endpoints that a proxy is served; ?proxyID=" },
  { path: "/debug/ecdsz", shows: "extension configurations that a proxy is served; ?proxyID=" },
  { path: "/debug/ndsz", shows: "names that a proxy is served; ?proxyID=" },
  { path: "/debug/proxyconfigz", shows: "what ProxyConfigs say to a proxy's agent; ?proxyID=" },
  { path: "/debug/sidecarz", shows: "what a proxy may reach; ?proxyID=" },
  { path: "/debug/instancesz", shows: "services that run beside each proxy" },
  { path: "/debug/registryz", shows: "services with their endpoints; ?brief" },
  { path: "/debug/endpointShardz", shows: "endpoints by host and namespace; also endpointz" },
  { path: "/debug/endpointz", shows: "the same" },
  { path: "/debug/configz", shows: "configuration that serves; ?resource=KIND, ?problems=true" },
  { path: "/debug/resourcesz", shows: "kinds of objects that are read" },
  { path: "/debug/authorizationz", shows: "authorization policies by namespace" },
  { path: "/debug/telemetryz", shows: "telemetry by namespace" },
  { path: "/debug/mesh", shows: "the mesh configuration" },
  { path: "/debug/clusterz", shows: "clusters that configuration comes from" },
  { path: "/debug/networkz", shows: "gateways between networks" },
  { path: "/debug/push_status", shows: "what proxies reject, and resources claimed twice" },
  { path: "/debug/pushcontext", shows: "sizes of what is served from" },
  { path: "/debug/cachez", shows: "encoded resources; ?sizes=true, ?clear=true" },
  { path: "/debug/krtz", shows: "tables of the engine with their work" },
  { path: "/debug/graphz", shows: "tables and cells of the engine; ?values=true" },
  { path: "/debug/faultz", shows: "computations that failed" },
  { path: "/debug/ambientz", shows: "not there yet" },
  { path: "/debug/inject", shows: "not there yet" },
  { path: "/debug/mcsz", shows: "not there yet" },
  { path: "/debug/list", shows: "these paths" },
];

/** All of them. */
export const DEBUG_PATHS: readonly DebugPath[] = [...PAGE_PATHS, ...JSON_PATHS];
