/**
 * Indexes that analysis needs beside those of the mesh: workloads by label, Gateways by port.
 *
 * @module
 */
import { boundToMesh, type Mesh } from "../../mesh/derive/mod.ts";
import {
  type Graph,
  type Index,
  type Input,
  type KeyCodec,
  keyOf,
  type Read,
  text,
} from "../../mesh/graph/mod.ts";
import { canonicalJson } from "../../kit/base/mod.ts";
import { type ConfigObject, coveringPatterns, fullHost, hasLabels } from "../../mesh/model/mod.ts";
import type { Destination, VirtualService } from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import type { DataproxyFilter_DataproxyConfigObjectPatch } from "#mesh/networking/v1alpha3/dataproxy_filter_pb.ts";
import type { Server } from "#mesh/networking/v1alpha3/gateway_pb.ts";

/** Labels of an object or workload. */
export type Labels = Readonly<Record<string, string>>;

/** A workload: a connected proxy, or one that a manifest describes. Replicas are one workload. */
export interface KnownWorkload {
  readonly namespace: string;
  readonly labels: Labels;
  /** True for a workload without a proxy. */
  readonly outside?: boolean;
}

/** A service that a manifest of the orchestrator defines. */
export interface AssumedService {
  /** `name.namespace.svc.domain`. */
  readonly host: string;
  readonly namespace: string;
  /** Numbers of its ports. */
  readonly ports: readonly number[];
  /** Namespaces that see it, as in `exportTo`; empty: all. */
  readonly exportTo: readonly string[];
}

/** A pair of a label, in one namespace or (`""`) in any. */
interface LabelBucket {
  readonly namespace: string;
  readonly label: string;
  readonly value: string;
}

const labelBuckets: KeyCodec<LabelBucket> = keyOf<LabelBucket>({
  namespace: text,
  label: text,
  value: text,
});

/** Tables and indexes of analysis. */
export interface AnalysisIndexes {
  /** Workloads by {@link workloadKey}. */
  readonly workloads: Input<KnownWorkload>;
  /** Row `all`: true when every workload of the mesh is known, so that a missing one is a finding. */
  readonly complete: Input<boolean>;
  /** Row `all`: true when the workloads of gateways are known, although others may not be. */
  readonly gateways: Input<boolean>;
  /** Row `all`: false when the set describes no services, so that a missing one is no finding. */
  readonly services: Input<boolean>;
  /** Services that manifests of the orchestrator define, by host. */
  readonly assumedHosts: Input<AssumedService>;
  /** Label pair → label sets that have it, as canonical JSON, of known workloads. */
  readonly labelsOfWorkloads: Index<LabelBucket>;
  /** The same of WorkloadEntries. */
  readonly labelsOfEntries: Index<LabelBucket>;
  /** The same of endpoints in ServiceEntries. */
  readonly labelsOfEndpoints: Index<LabelBucket>;
  /** The labels of workloads in the mesh alone. */
  readonly labelsOfProxies: Index<LabelBucket>;
  /** Namespace → `all`, of known workloads in the mesh. */
  readonly proxiesByNamespace: Index;
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
}

/** Creates the tables and indexes. */
export function createAnalysisIndexes(graph: Graph, mesh: Mesh): AnalysisIndexes {
  const { tables } = mesh;
  const workloads = graph.input<KnownWorkload>("KnownWorkload");
  return {
    workloads,
    complete: graph.input("AllWorkloadsKnown"),
    gateways: graph.input("GatewaysKnown"),
    services: graph.input("ServicesKnown"),
    assumedHosts: graph.input("AssumedHost"),
    ...labelIndexes(graph, mesh, workloads),
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

function labelIndexes(
  graph: Graph,
  { tables }: Mesh,
  workloads: Input<KnownWorkload>,
): Pick<
  AnalysisIndexes,
  | "labelsOfWorkloads"
  | "labelsOfProxies"
  | "proxiesByNamespace"
  | "labelsOfEntries"
  | "labelsOfEndpoints"
> {
  const codecs = { bucket: labelBuckets, member: text };
  return {
    labelsOfWorkloads: graph.index(workloads, "KnownWorkload.label", codecs, function* (row) {
      yield* labelEntries(row.namespace, row.labels);
    }),
    labelsOfProxies: graph.index(workloads, "KnownWorkload.proxy", codecs, function* (row) {
      if (row.outside !== true) yield* labelEntries(row.namespace, row.labels);
    }),
    proxiesByNamespace: graph.index(
      workloads,
      "KnownWorkload.proxyNamespace",
      { bucket: text, member: text },
      function* ({ namespace, outside }) {
        if (outside !== true) yield [namespace, "all"];
      },
    ),
    labelsOfEntries: graph.index(
      tables.workloadEntries,
      "WorkloadEntry.labelSet",
      codecs,
      function* ({ meta, spec }) {
        yield* labelEntries(meta.namespace, { ...meta.labels, ...spec.labels });
      },
    ),
    labelsOfEndpoints: graph.index(
      tables.serviceEntries,
      "ServiceEntry.labelSet",
      codecs,
      function* ({ meta, spec }) {
        for (const { labels } of spec.endpoints) yield* labelEntries(meta.namespace, labels);
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

function* labelEntries(namespace: string, labels: Labels) {
  const member = canonicalJson(labels);
  for (const [label, value] of Object.entries(labels)) {
    for (const where of ["", namespace]) {
      yield [{ namespace: where, label, value }, member] as const;
    }
  }
}

/** The key of a workload's row: equal workloads have one row. */
export function workloadKey({ namespace, labels, outside = false }: KnownWorkload): string {
  return canonicalJson([namespace, labels, outside]);
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

/**
 * The labels of a workload that has all pairs of a selector; `undefined` when none is known.
 *
 * @param namespace of the workloads; empty: all
 */
export function selectedLabels(
  read: Read,
  indexes: AnalysisIndexes,
  namespace: string,
  selector: Labels,
): Labels | undefined {
  const { labelsOfWorkloads, labelsOfEntries, labelsOfEndpoints } = indexes;
  return labelsIn(
    read,
    [labelsOfWorkloads, labelsOfEntries, labelsOfEndpoints],
    namespace,
    selector,
  );
}

function labelsIn(
  read: Read,
  all: readonly Index<LabelBucket>[],
  namespace: string,
  selector: Labels,
): Labels | undefined {
  const [first] = Object.entries(selector).sort();
  if (first === undefined) return {};
  const bucket = { namespace, label: first[0], value: first[1] };
  for (const index of all) {
    for (const member of read.members(index, bucket)) {
      const labels = JSON.parse(member) as Labels;
      if (hasLabels(labels, selector)) return labels;
    }
  }
  return undefined;
}

/** True when a selector certainly selects no workload. */
export function selectsNothing(
  { read, indexes }: { readonly read: Read; readonly indexes: AnalysisIndexes },
  namespace: string,
  selector: Labels,
): boolean {
  if (Object.keys(selector).length === 0 || read.get(indexes.complete, "all") !== true) {
    return false;
  }
  return selectedLabels(read, indexes, namespace, selector) === undefined;
}

/** True when the selector of a Gateway certainly selects no workload. */
export function selectsNoGateway(
  { read, indexes }: { readonly read: Read; readonly indexes: AnalysisIndexes },
  selector: Labels,
): boolean {
  const isKnown = [indexes.complete, indexes.gateways]
    .some((input) => read.get(input, "all") === true);
  return isKnown && Object.keys(selector).length > 0 &&
    selectedLabels(read, indexes, "", selector) === undefined;
}

/** True when a selector certainly selects no workload in the mesh; an empty one selects all. */
export function selectsNoProxy(
  { read, indexes }: { readonly read: Read; readonly indexes: AnalysisIndexes },
  namespace: string,
  selector: Labels,
): boolean {
  if (read.get(indexes.complete, "all") !== true) return false;
  const { labelsOfProxies, labelsOfEntries, labelsOfEndpoints, proxiesByNamespace } = indexes;
  if (Object.keys(selector).length === 0) {
    return namespace !== "" && !read.any(proxiesByNamespace, namespace);
  }
  return labelsIn(
    read,
    [labelsOfProxies, labelsOfEntries, labelsOfEndpoints],
    namespace,
    selector,
  ) ===
    undefined;
}

/** Label pairs as people write them: `app=a,version=v1`. */
export function labelText(labels: Labels): string {
  return Object.entries(labels).sort().map(([key, value]) => `${key}=${value}`).join(",");
}

/** The rows of keys, without those that are gone. */
export function rowsOf<T>(
  read: Read,
  table: Input<ConfigObject<T>>,
  keys: readonly string[],
): ConfigObject<T>[] {
  return keys.map((key) => read.get(table, key)).filter((row) => row !== undefined);
}
