/**
 * All paths below `/debug`, as the index page and `/debug/list` show them.
 *
 * @module
 */

/** A path and its description. */
export interface DebugPath {
  readonly path: string;
  readonly shows: string;
}

/** Pages for people. */
export const PAGE_PATHS: readonly DebugPath[] = [
  { path: "/debug/proxies", shows: "proxies: state, resources, their reasons and history" },
  { path: "/debug/objects", shows: "objects with the resources and proxies that each affects" },
  {
    path: "/debug/services",
    shows: "services, edges between them, certificates; JSON for scripts",
  },
  {
    path: "/debug/map",
    shows: "the mesh as a graph; ?namespace=NS or ?service=NS/HOST; JSON for scripts",
  },
  { path: "/debug/pushes", shows: "pushes: their edits, sent bytes, duration" },
  { path: "/debug/costs", shows: "cost of edits and tables; JSON for scripts; ?top=" },
  {
    path: "/debug/receipts",
    shows: "delivery of edits; JSON for scripts; ?resource=Kind/ns/name",
  },
  {
    path: "/debug/quarantine",
    shows: "resource versions that proxies reject; JSON for scripts",
  },
  {
    path: "/debug/on_demand",
    shows:
      "what proxies with configuration on demand asked for; JSON for scripts; ?namespace=, ?format=sidecar",
  },
  { path: "/debug/faults", shows: "rejected documents, likely mistakes, failed computations" },
  { path: "/debug/audit", shows: "background check of computed values; JSON for scripts" },
  {
    path: "/debug/request",
    shows:
      "the path of a request; ?from=PROXY&url=&method=&header=&client=&claims=&keys=, ?format=text",
  },
  {
    path: "/debug/incident",
    shows: "the cause of a failed request; ?text=CURL or LOG LINE, &from=PROXY, ?format=text",
  },
  { path: "/debug/whatif", shows: "POST YAML documents, ?remove=Kind/ns/name, ?format=text" },
];

/** Views for scripts: JSON, each with its query. */
export const JSON_PATHS: readonly DebugPath[] = [
  {
    path: "/debug/request/proxies",
    shows: "connected sidecars of addresses; ?at=IP:PORT,…, or ?at=* for one proxy of each kind",
  },
  {
    path: "/debug/request/compare",
    shows:
      "effect of an edit on proxies and requests; ?documents=YAML&remove=Kind/ns/name, or POST",
  },
  {
    path: "/debug/request/history",
    shows: "publications that gave a request another outcome; ?from=PROXY&url=&method=&header=",
  },
  {
    path: "/debug/root_change",
    shows: "change of the self-signed root; POST ?decision=proceed or abort",
  },
  {
    path: "/debug/adsz",
    shows: "proxies with their subscriptions; ?push=true sends all resources again",
  },
  { path: "/debug/connections", shows: "proxies without their subscriptions" },
  {
    path: "/debug/history",
    shows: "pushes; ?revision=, ?proxyID=&revision= (served resources), &from=&to=",
  },
  { path: "/debug/samples", shows: "the last hour: edits, convergence, refusals, proxies, memory" },
  { path: "/debug/syncz", shows: "sent and acknowledged versions; ?namespace=" },
  {
    path: "/debug/proxy_states",
    shows: "what agents report about their Envoys: state, exit, memory, certificate; ?namespace=",
  },
  {
    path: "/debug/config_dump",
    shows: "resources of a proxy; ?proxyID=NAME.NAMESPACE&types=&why=true",
  },
  { path: "/debug/why", shows: "decisions about a resource; ?proxyID=&type=&name=" },
  { path: "/debug/edsz", shows: "endpoints of a proxy; ?proxyID=" },
  { path: "/debug/ecdsz", shows: "extension configurations of a proxy; ?proxyID=" },
  { path: "/debug/ndsz", shows: "name table of a proxy; ?proxyID=" },
  { path: "/debug/proxyconfigz", shows: "ProxyConfig values of a proxy's agent; ?proxyID=" },
  { path: "/debug/sidecarz", shows: "reachable services of a proxy; ?proxyID=" },
  { path: "/debug/instancesz", shows: "services of each proxy's workload" },
  { path: "/debug/registryz", shows: "services with their endpoints; ?brief" },
  { path: "/debug/endpointShardz", shows: "endpoints by host and namespace; also endpointz" },
  { path: "/debug/endpointz", shows: "the same" },
  { path: "/debug/configz", shows: "configuration in use; ?resource=KIND, ?problems=true" },
  { path: "/debug/analysis", shows: "likely mistakes in the configuration; ?namespace=" },
  { path: "/debug/resourcesz", shows: "supported kinds of objects" },
  { path: "/debug/authorizationz", shows: "authorization policies by namespace" },
  { path: "/debug/telemetryz", shows: "telemetry by namespace" },
  { path: "/debug/mesh", shows: "the mesh configuration" },
  { path: "/debug/clusterz", shows: "clusters that are sources of configuration" },
  { path: "/debug/networkz", shows: "gateways between networks" },
  { path: "/debug/push_status", shows: "rejections of proxies, and conflicting resources" },
  { path: "/debug/pushcontext", shows: "sizes of the tables" },
  { path: "/debug/cachez", shows: "encoded resources; ?sizes=true, ?clear=true" },
  { path: "/debug/krtz", shows: "tables of the engine with their computations" },
  { path: "/debug/graphz", shows: "tables and cells of the engine; ?values=true" },
  { path: "/debug/faultz", shows: "computations that failed" },
  { path: "/debug/ambientz", shows: "resources of node proxies, waypoints, and problems of both" },
  { path: "/debug/inject", shows: "templates and values of injection" },
  { path: "/debug/mcsz", shows: "services that clusters export and import" },
  { path: "/debug/list", shows: "these paths" },
];

/** All paths. */
export const DEBUG_PATHS: readonly DebugPath[] = [...PAGE_PATHS, ...JSON_PATHS];
