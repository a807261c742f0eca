import type { Dump } from "./dump.ts";
import { asMap, asMaps, asText, at, type JsonMap } from "./json.ts";
import { addressText, compareClusters, portOf } from "./names.ts";
import type { Table } from "./table.ts";

/** Selection of endpoints; empty values select all. */
export interface EndpointFilter {
  readonly address: string;
  readonly port: number;
  readonly cluster: string;
  /** Compared without case. */
  readonly status: string;
}

/** An endpoint of a cluster. */
interface Shown {
  readonly address: JsonMap;
  readonly status: string;
  readonly cluster: string;
}

function selects(filter: EndpointFilter, { address, status, cluster }: Shown): boolean {
  const host = asText(at(address, "socketAddress", "address"));
  return (filter.address === "" || filter.address === host) &&
    (filter.port === 0 || portOf(address) === String(filter.port)) &&
    (filter.cluster === "" || filter.cluster === cluster) &&
    (filter.status === "" || filter.status.toUpperCase() === status);
}

/** Endpoints as they were discovered, without those that the filter leaves out. */
export function assignmentsOf({ sections }: Dump, filter: EndpointFilter): readonly JsonMap[] {
  const section = sections.get("EndpointsConfigDump") ?? {};
  const isWhole = filter.address === "" && filter.port === 0 && filter.status === "";
  return [...asMaps(section.dynamicEndpointConfigs), ...asMaps(section.staticEndpointConfigs)]
    .map(({ endpointConfig }) => withoutType(asMap(endpointConfig)))
    .filter(({ clusterName }) => filter.cluster === "" || clusterName === filter.cluster)
    .map((assignment) => isWhole ? assignment : narrowed(assignment, filter))
    .filter(({ endpoints }) => asMaps(endpoints).length > 0)
    .toSorted((a, b) => compareClusters(asText(a.clusterName), asText(b.clusterName)));
}

function withoutType({ "@type": _, ...rest }: JsonMap): JsonMap {
  return rest;
}

/** The assignment with the endpoints that the filter selects. */
function narrowed(assignment: JsonMap, filter: EndpointFilter): JsonMap {
  const cluster = asText(assignment.clusterName);
  const endpoints = asMaps(assignment.endpoints).map((locality) => ({
    ...locality,
    lbEndpoints: asMaps(locality.lbEndpoints).filter((endpoint) =>
      selects(filter, {
        address: asMap(at(endpoint, "endpoint", "address")),
        status: statusOf(endpoint),
        cluster,
      })
    ),
  })).filter(({ lbEndpoints }) => lbEndpoints.length > 0);
  return { ...assignment, endpoints };
}

/** Health that an assignment leaves out counts as healthy, as in the proxy. */
function statusOf(endpoint: JsonMap): string {
  const status = asText(endpoint.healthStatus);
  return status === "" || status === "UNKNOWN" ? "HEALTHY" : status;
}

/** The table of discovered endpoints. */
export function assignmentTable(assignments: readonly JsonMap[]): Table {
  const rows = assignments.flatMap((assignment) =>
    asMaps(assignment.endpoints).flatMap((locality) =>
      asMaps(locality.lbEndpoints).map((endpoint) => [
        addressText(asMap(at(endpoint, "endpoint", "address"))).replace(/^unix:\/\//, ""),
        statusOf(endpoint),
        localityText(asMap(locality.locality)),
        asText(assignment.clusterName),
      ])
    )
  );
  return { head: ["NAME", "STATUS", "LOCALITY", "CLUSTER"], rows: rows.toSorted(byCluster) };
}

function byCluster(a: readonly string[], b: readonly string[]): number {
  return compareClusters(a[3] ?? "", b[3] ?? "") || ((a[0] ?? "") < (b[0] ?? "") ? -1 : 1);
}

function localityText(locality: JsonMap): string {
  return [locality.region, locality.zone, locality.subZone].map(asText).filter((part) =>
    part !== ""
  ).join("/");
}

/** Endpoints with their state in the proxy, of the answer of `/clusters?format=json`. */
export function hostsOf({ value }: Dump, filter: EndpointFilter): readonly JsonMap[] {
  return asMaps(value.clusterStatuses).map((cluster) => ({
    ...cluster,
    hostStatuses: asMaps(cluster.hostStatuses).filter((host) =>
      selects(filter, {
        address: asMap(host.address),
        status: healthOf(host),
        cluster: asText(cluster.name),
      })
    ),
  })).filter(({ hostStatuses }) => hostStatuses.length > 0);
}

function healthOf(host: JsonMap): string {
  const health = asMap(host.healthStatus);
  return health.failedActiveHealthCheck === true
    ? "UNHEALTHY"
    : asText(health.edsHealthStatus) || "HEALTHY";
}

/** The table of endpoints with their state. */
export function hostTable(clusters: readonly JsonMap[]): Table {
  const rows = clusters.flatMap((cluster) =>
    asMaps(cluster.hostStatuses).map((host) => [
      addressText(asMap(host.address)),
      healthOf(host),
      at(host, "healthStatus", "failedOutlierCheck") === true ? "FAILED" : "OK",
      asText(cluster.name),
    ])
  );
  return {
    head: ["ENDPOINT", "STATUS", "OUTLIER CHECK", "CLUSTER"],
    rows: rows.toSorted(byCluster),
  };
}
