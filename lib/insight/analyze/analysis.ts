/**
 * The analysis of a set of objects: a graph of its own, apart from the one that serves proxies. An
 * edit repeats the analysis of the objects that read the edited row, and of no others.
 *
 * @module
 */
import { createMesh, type Mesh, MESH_ROW, tableOf } from "../../mesh/derive/mod.ts";
import {
  createGraph,
  type Derived,
  type Graph,
  type KeyCodec,
  keyOf,
  oneOf,
  text,
} from "../../mesh/graph/mod.ts";
import type { ObjectChange } from "../../mesh/ingest/mod.ts";
import { type ConfigObject, objectKeys } from "../../mesh/model/mod.ts";
import { TABLE_KINDS, type TableKind } from "../../mesh/schema/mod.ts";
import type { MeshConfig } from "#mesh/mesh/v1alpha1/config_pb.ts";
import { type AnalysisIndexes, type AssumedService, createAnalysisIndexes } from "./indexes.ts";
import { type KnownWorkload, workloadKey } from "./workload_indexes.ts";
import { byText } from "./order.ts";
import { type Finding, type Message, messageOfFinding } from "./message.ts";
import { ANALYZERS_OF } from "./registry.ts";

/** Changes of the configuration. */
export interface AnalysisChanges {
  readonly mesh?: MeshConfig;
  readonly objects?: readonly ObjectChange[];
  /** All workloads that are known beside those of objects. */
  readonly workloads?: readonly KnownWorkload[];
  /** True when no other workloads exist; selectors without a workload are findings then. */
  readonly complete?: boolean;
  /** False when services are not described, so that unknown hosts are no findings. Default: true. */
  readonly services?: boolean;
  /** All services that are known to exist beside those of objects. */
  readonly hosts?: readonly AssumedService[];
  /** True: the workloads of gateways are known, although others may not be. */
  readonly gateways?: boolean;
  /** Service accounts (`namespace/name`) beside those of workloads; unset: they are not known. */
  readonly accounts?: readonly string[];
  /** Namespaces that the node proxy serves. */
  readonly ambient?: readonly string[];
}

/** A running analysis. */
export interface Analysis {
  /** Takes changes; nothing is analyzed yet. */
  apply(changes: AnalysisChanges): void;
  /** Analyzes for about this time in milliseconds; true when nothing is left. */
  work(millis: number): boolean;
  /** The messages as of the last complete work, sorted by object and code. */
  messages(): readonly Message[];
  /** Number of computations so far: what an edit has cost. */
  computed(): number;
}

/** Settings of an analysis. */
export interface AnalysisOptions {
  /** The mesh's DNS suffix, for example `cluster.local`. */
  readonly domain: string;
  /** Names of the analyzers to run; default: all. */
  readonly analyzers?: readonly string[];
  /** Milliseconds with fractions. */
  readonly now: () => number;
}

/** Creates an analysis without objects. */
export function createAnalysis({ domain, analyzers, now }: AnalysisOptions): Analysis {
  const graph = createGraph({ now, logLimit: 1, editLimit: 1, costLimit: 1 });
  // Rules are about objects that somebody wrote, not about those that they become.
  // Which fields the daemon lets act is not known here; it warns of the others itself.
  const mesh = createMesh(graph, { domain, gatewayApi: false, experimentalGatewayApi: true });
  const indexes = createAnalysisIndexes(graph, mesh);
  const watches = new FindingWatches(graph, deriveFindings(graph, mesh, indexes, analyzers));
  let isComplete = false;
  let known: readonly Message[] = [];
  return {
    apply(changes) {
      isComplete = false;
      write(graph, mesh, indexes, changes);
      for (const change of changes.objects ?? []) watches.note(change);
    },
    work(millis) {
      if (isComplete) return true;
      const end = now() + millis;
      if (!watches.open(() => Math.max(end - now(), 0))) return false;
      if (!graph.warm(Math.max(end - now(), 0))) return false;
      graph.publish();
      known = [...watches.found].flatMap(([id, list]) =>
        list.map((finding) => toMessage(mesh, analyzedKeys.decode(id), finding))
      ).sort(byText);
      isComplete = true;
      return true;
    },
    messages: () => known,
    computed: () => graph.stats().computed,
  };
}

/** Watches the findings of each analyzed object. */
class FindingWatches {
  /** Findings of the objects that have some. */
  readonly found = new Map<string, readonly Finding[]>();
  readonly #graph: Graph;
  readonly #findings: Derived<readonly Finding[], AnalyzedKey>;
  /** Objects that are analyzed, each with the end of its watch. */
  readonly #watched = new Map<string, () => void>();
  /** Objects that are not watched yet. */
  readonly #added = new Set<string>();

  constructor(graph: Graph, findings: Derived<readonly Finding[], AnalyzedKey>) {
    this.#graph = graph;
    this.#findings = findings;
  }

  /** Takes the change of an object; a new one is watched by the next {@linkcode open}. */
  note({ kind, key, object }: ObjectChange): void {
    if (!ANALYZERS_OF.has(kind)) return;
    const id = analyzedKeys.encode({ kind, row: key });
    if (object !== undefined) {
      if (!this.#watched.has(id)) this.#added.add(id);
      return;
    }
    this.#added.delete(id);
    this.#watched.get(id)?.();
    this.#watched.delete(id);
    this.found.delete(id);
  }

  /** Watches new objects until no time is left, in milliseconds; true when no object is left. */
  open(timeLeft: () => number): boolean {
    for (const id of this.#added) {
      const isReady = this.#graph.advance(this.#findings, analyzedKeys.decode(id), timeLeft());
      if (!isReady) return false;
      this.#added.delete(id);
      this.#watch(id);
      if (timeLeft() === 0) return false;
    }
    return true;
  }

  #watch(id: string): void {
    const take = (value: readonly Finding[]) => {
      if (value.length > 0) this.found.set(id, value);
      else this.found.delete(id);
    };
    const { value, close } = this.#graph.watch(this.#findings, analyzedKeys.decode(id), take);
    take(value);
    this.#watched.set(id, close);
  }
}

function deriveFindings(
  graph: Graph,
  mesh: Mesh,
  indexes: AnalysisIndexes,
  names: readonly string[] | undefined,
): Derived<readonly Finding[], AnalyzedKey> {
  return graph.derive("analysis", analyzedKeys, (read, { kind, row }): readonly Finding[] => {
    const object = read.get(tableOf(mesh.tables, kind), row);
    // Services and pods of an orchestrator share tables with objects of other kinds.
    if (object === undefined || object.meta.kind !== kind) return [];
    return (ANALYZERS_OF.get(kind) ?? [])
      .filter(({ name }) => names === undefined || names.includes(name))
      .flatMap(({ analyze }) =>
        read.part(() => [...analyze({ read, mesh, indexes }, object as ConfigObject<never>)])
      );
  });
}

/** The key of an analyzed object. */
interface AnalyzedKey {
  readonly kind: TableKind;
  /** The row in the table of the kind. */
  readonly row: string;
}

const analyzedKeys: KeyCodec<AnalyzedKey> = keyOf<AnalyzedKey>({
  kind: oneOf(...TABLE_KINDS),
  row: text,
});

function write(
  graph: Graph,
  { tables }: Mesh,
  indexes: AnalysisIndexes,
  changes: AnalysisChanges,
): void {
  const { mesh, objects = [], workloads, complete, services, hosts, gateways } = changes;
  graph.transaction((tx) => {
    if (mesh !== undefined) tx.set(tables.mesh, MESH_ROW, mesh);
    for (const { kind, key, object } of objects) {
      if (object === undefined) tx.delete(tableOf(tables, kind), key);
      else tx.set(tableOf(tables, kind), key, object);
    }
    if (complete !== undefined) tx.set(indexes.complete, "all", complete);
    if (gateways !== undefined) tx.set(indexes.gateways, "all", gateways);
    if (services !== undefined) tx.set(indexes.services, "all", services);
    if (workloads !== undefined) {
      const rows = new Map(workloads.map((one) => [workloadKey(one), one]));
      for (const key of indexes.workloads.keys()) {
        if (!rows.has(key)) tx.delete(indexes.workloads, key);
      }
      for (const [key, row] of rows) tx.set(indexes.workloads, key, row);
    }
    if (hosts !== undefined) {
      const wanted = new Map(hosts.map((one) => [one.host, one]));
      for (const key of indexes.assumedHosts.keys()) {
        if (!wanted.has(key)) tx.delete(indexes.assumedHosts, key);
      }
      for (const [host, one] of wanted) tx.set(indexes.assumedHosts, host, one);
    }
    if (changes.accounts !== undefined) tx.set(indexes.accountsKnown, "all", true);
    for (const one of changes.accounts ?? []) tx.set(indexes.accountObjects, one, true);
    for (const one of changes.ambient ?? []) tx.set(indexes.ambientNamespaces, one, true);
  });
}

function toMessage({ tables }: Mesh, { kind, row }: AnalyzedKey, finding: Finding): Message {
  const origin = tableOf(tables, kind).peek(row)?.meta.origin;
  return messageOfFinding(finding, { kind, ...objectKeys.decode(row) }, origin);
}
