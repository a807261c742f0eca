/**
 * Indexes that analysis needs beside those of the mesh: Gateways by port, routes by pattern.
 *
 * @module
 */
import { boundToMesh, type Mesh } from "../../mesh/derive/mod.ts";
import { type Graph, type Index, type Input, type Read, text } from "../../mesh/graph/mod.ts";
import { canonicalJson } from "../../kit/base/mod.ts";
import { type ConfigObject, coveringPatterns, fullHost } from "../../mesh/model/mod.ts";
import type { Destination, VirtualService } from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import type { DataproxyFilter_DataproxyConfigObjectPatch } from "#mesh/networking/v1alpha3/dataproxy_filter_pb.ts";
import type { Server } from "#mesh/networking/v1alpha3/gateway_pb.ts";
import { type Labels, type WorkloadIndexes, workloadIndexes } from "./workload_indexes.ts";

/** A service that a manifest of the orchestrator defines. */
export interface AssumedService {
  /** `name.namespace.svc.domain`. */
  readonly host: string;
  readonly namespace: string;
  /** Numbers of its ports. */
  readonly ports: readonly number[];
  /** Numbers of the same ports at its workloads; `undefined` for a name. */
  readonly targets: readonly (number | undefined)[];
  /** Labels of its workloads; empty: they are not selected by labels. */
  readonly selector: Labels;
  /** Namespaces that see it, as in `exportTo`; empty: all. */
  readonly exportTo: readonly string[];
}

/** Tables and indexes of analysis. */
export interface AnalysisIndexes extends WorkloadIndexes {
  /** Row `all`: false when the set describes no services, so that a missing one is no finding. */
  readonly services: Input<boolean>;
  /** Services that manifests of the orchestrator define, by host. */
  readonly assumedHosts: Input<AssumedService>;
  /** Namespace, or `*` for all → hosts of such services. */
  readonly assumedByNamespace: Index;
  /** Pattern → hosts of such services that it covers. */
  readonly assumedByPattern: Index;
  /** Address and host of a server, see {@link serverBuckets} → row keys of Gateways. */
  readonly gatewaysByServer: Index;
  /** Certificate of a server, see {@link certificateBucket} → row keys of Gateways. */
  readonly gatewaysByCertificate: Index;
  /** Host pattern → row keys of VirtualServices of the mesh with a host that the pattern covers. */
  readonly routesByPattern: Index;
  /** Host as written → row keys of VirtualServices that send requests for it to a subset of it. */
  readonly subsetRoutesByHost: Index;
  /** `all` → row keys of DataproxyFilters with patches for one proxy version. */
  readonly versionedFilters: Index;
  /** Namespace → row keys of Telemetries. */
  readonly telemetriesByNamespace: Index;
  /** `all` → row keys of the Gateways of the Gateway API. */
  readonly apiGateways: Index;
}

/** Creates the tables and indexes. */
export function createAnalysisIndexes(graph: Graph, mesh: Mesh): AnalysisIndexes {
  const { tables } = mesh;
  const assumedHosts = graph.input<AssumedService>("AssumedHost");
  const codecs = { bucket: text, member: text };
  return {
    ...workloadIndexes(graph, mesh),
    assumedHosts,
    assumedByNamespace: graph.index(
      assumedHosts,
      "AssumedHost.namespace",
      codecs,
      function* ({ namespace }, host) {
        for (const bucket of ["*", namespace]) yield [bucket, host];
      },
    ),
    assumedByPattern: graph.index(assumedHosts, "AssumedHost.pattern", codecs, function* (_, host) {
      for (const pattern of coveringPatterns(host)) yield [pattern, host];
    }),
    services: graph.input("ServicesKnown"),
    gatewaysByServer: graph.index(
      tables.gateways,
      "Gateway.server",
      { bucket: text, member: text },
      function* ({ spec }, key) {
        const buckets = spec.servers.flatMap(serverBuckets);
        for (const bucket of new Set(buckets)) yield [bucket, key];
      },
    ),
    gatewaysByCertificate: graph.index(
      tables.gateways,
      "Gateway.certificate",
      { bucket: text, member: text },
      function* ({ spec }, key) {
        const buckets = spec.servers.map(certificateBucket);
        for (const bucket of new Set(buckets)) if (bucket !== undefined) yield [bucket, key];
      },
    ),
    ...routeIndexes(graph, mesh),
    apiGateways: graph.index(
      tables.kubernetesGateways,
      "KubernetesGateway.all",
      codecs,
      (_, key) => [["all", key]],
    ),
    versionedFilters: graph.index(
      tables.dataproxyFilters,
      "DataproxyFilter.versioned",
      { bucket: text, member: text },
      function* ({ spec }, key) {
        if (spec.configPatches.some(isVersioned)) yield ["all", key];
      },
    ),
    telemetriesByNamespace: graph.index(
      tables.telemetries,
      "Telemetry.namespace",
      { bucket: text, member: text },
      function* ({ meta }, key) {
        yield [meta.namespace, key];
      },
    ),
  };
}

function routeIndexes(
  graph: Graph,
  { tables, domain }: Mesh,
): Pick<AnalysisIndexes, "routesByPattern" | "subsetRoutesByHost"> {
  const codecs = { bucket: text, member: text };
  return {
    routesByPattern: graph.index(
      tables.virtualServices,
      "VirtualService.pattern",
      codecs,
      function* ({ meta, spec }, key) {
        if (!boundToMesh(spec)) return;
        const hosts = spec.hosts.map((host) => fullHost(host, meta.namespace, domain));
        for (const pattern of new Set(hosts.flatMap(coveringPatterns))) yield [pattern, key];
      },
    ),
    subsetRoutesByHost: graph.index(
      tables.virtualServices,
      "VirtualService.ownSubset",
      codecs,
      function* ({ spec }, key) {
        const own = httpDestinations(spec).filter(({ host, subset }) =>
          subset !== "" && spec.hosts.includes(host)
        );
        for (const host of new Set(own.map((one) => one.host))) yield [host, key];
      },
    ),
  };
}

/** True for a patch for proxies of one version. */
export function isVersioned({ match }: DataproxyFilter_DataproxyConfigObjectPatch): boolean {
  return (match?.proxy?.proxyVersion ?? "") !== "";
}

/** Destinations of the HTTP routes of a VirtualService, without those of mirrors. */
export function httpDestinations({ http }: VirtualService): Destination[] {
  return http.flatMap(({ route }) => route.flatMap(({ destination }) => destination ?? []));
}

/** Servers in one bucket have a host, as it is written, at the same port and address. */
export function serverBuckets({ port, bind, hosts }: Server): string[] {
  return hosts.map((host) => canonicalJson([port?.number ?? 0, bind, host]));
}

/** Servers in one bucket have the same certificate; `undefined` without one. */
export function certificateBucket({ tls }: Server): string | undefined {
  const { credentialName = "", serverCertificate = "", privateKey = "" } = tls ?? {};
  if (credentialName !== "") return canonicalJson([credentialName]);
  if (serverCertificate === "" || privateKey === "") return undefined;
  return canonicalJson([serverCertificate, privateKey]);
}

/** The rows of keys, without those that are gone. */
export function rowsOf<T>(
  read: Read,
  table: Input<ConfigObject<T>>,
  keys: readonly string[],
): ConfigObject<T>[] {
  return keys.map((key) => read.get(table, key)).filter((row) => row !== undefined);
}
