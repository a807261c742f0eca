/**
 * Indexes that analysis needs beside those of the mesh: workloads by label, Gateways by port.
 *
 * @module
 */
import type { Mesh } from "../derive/mod.ts";
import {
  type Graph,
  type Index,
  type Input,
  type KeyCodec,
  keyOf,
  type Read,
  text,
} from "../graph/mod.ts";
import { canonicalJson } from "../base/mod.ts";
import { type ConfigObject, hasLabels } from "../model/mod.ts";
import type { Server } from "#mesh/networking/v1alpha3/gateway_pb.ts";

/** Labels of an object or workload. */
export type Labels = Readonly<Record<string, string>>;

/** A workload: a connected proxy, or one that a manifest describes. Replicas are one workload. */
export interface KnownWorkload {
  readonly namespace: string;
  readonly labels: Labels;
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
  /** Row `all`: false when the set describes no services, so that a missing one is no finding. */
  readonly services: Input<boolean>;
  /** Hosts of services that manifests of the orchestrator define; their ports are not known. */
  readonly assumedHosts: Input<true>;
  /** Label pair → label sets that have it, as canonical JSON, of known workloads. */
  readonly labelsOfWorkloads: Index<LabelBucket>;
  /** The same of WorkloadEntries. */
  readonly labelsOfEntries: Index<LabelBucket>;
  /** The same of endpoints in ServiceEntries. */
  readonly labelsOfEndpoints: Index<LabelBucket>;
  /** Selector and address of a server, see {@link serverBucket} → row keys of Gateways. */
  readonly gatewaysByServer: Index;
  /** Selector and certificate of a server, see {@link certificateBucket} → row keys of Gateways. */
  readonly gatewaysByCertificate: Index;
  /** Namespace → row keys of Telemetries. */
  readonly telemetriesByNamespace: Index;
}

/** Creates the tables and indexes. */
export function createAnalysisIndexes(graph: Graph, { tables }: Mesh): AnalysisIndexes {
  const workloads = graph.input<KnownWorkload>("KnownWorkload");
  const codecs = { bucket: labelBuckets, member: text };
  return {
    workloads,
    complete: graph.input("AllWorkloadsKnown"),
    services: graph.input("ServicesKnown"),
    assumedHosts: graph.input("AssumedHost"),
    labelsOfWorkloads: graph.index(workloads, "KnownWorkload.label", codecs, function* (row) {
      yield* labelEntries(row.namespace, row.labels);
    }),
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
    gatewaysByServer: graph.index(
      tables.gateways,
      "Gateway.server",
      { bucket: text, member: text },
      function* ({ spec }, key) {
        for (const server of spec.servers) yield [serverBucket(spec.selector, server), key];
      },
    ),
    gatewaysByCertificate: graph.index(
      tables.gateways,
      "Gateway.certificate",
      { bucket: text, member: text },
      function* ({ spec }, key) {
        const buckets = spec.servers.map((server) => certificateBucket(spec.selector, server));
        for (const bucket of new Set(buckets)) if (bucket !== undefined) yield [bucket, key];
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

function* labelEntries(namespace: string, labels: Labels) {
  const member = canonicalJson(labels);
  for (const [label, value] of Object.entries(labels)) {
    for (const where of ["", namespace]) {
      yield [{ namespace: where, label, value }, member] as const;
    }
  }
}

/** The key of a workload's row: equal workloads have one row. */
export function workloadKey({ namespace, labels }: KnownWorkload): string {
  return canonicalJson([namespace, labels]);
}

/** Servers in one bucket listen at the same address of the same workloads. */
export function serverBucket(selector: Labels, { port, bind }: Server): string {
  return canonicalJson([selector, port?.number ?? 0, bind]);
}

/** Servers in one bucket have the same certificate at the same workloads; `undefined` without one. */
export function certificateBucket(selector: Labels, { tls }: Server): string | undefined {
  const { credentialName = "", serverCertificate = "", privateKey = "" } = tls ?? {};
  if (credentialName !== "") return canonicalJson([selector, credentialName]);
  if (serverCertificate === "") return undefined;
  return canonicalJson([selector, serverCertificate, privateKey]);
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
  const [first] = Object.entries(selector).sort();
  if (first === undefined) return {};
  const bucket = { namespace, label: first[0], value: first[1] };
  const { labelsOfWorkloads, labelsOfEntries, labelsOfEndpoints } = indexes;
  for (const index of [labelsOfWorkloads, labelsOfEntries, labelsOfEndpoints]) {
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
