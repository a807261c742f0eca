/**
 * The provenance of a resource: the objects that it came from, and the source of each group of its
 * fields.
 *
 * @module
 */
import type { Decision, RecordedDecision } from "../../../kit/base/mod.ts";
import type { Mesh } from "../../derive/mod.ts";
import { writtenObjects } from "../../gateway_api/mod.ts";
import { type CellRef, parseRowRef, type Resource, rowRef, type View } from "../../graph/mod.ts";
import {
  type ConfigObject,
  objectKey,
  type ObjectMeta,
  objectOfRef,
  type Origin,
  rowOfObject,
} from "../../model/mod.ts";
import { recordImport } from "./imports.ts";

/** An object that a resource came from. */
export interface ObjectRef {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly generation: number;
  /** File and line, or the orchestrator's uid. */
  readonly origin: Origin;
  /** The objects of the Gateway API that it was made of, `Kind/namespace/name`, with their listener. */
  readonly writtenIn?: readonly string[];
}

/** One decision about a resource; see `Decision`. */
export interface FieldGroup extends Omit<Decision, "of"> {
  /** The part of the resource that it is about, outermost first; empty: all of it. */
  readonly of: readonly string[];
}

/** The provenance of a resource. Plain data, ready for JSON. */
export interface Provenance {
  readonly resource: string;
  /** Type URL. */
  readonly type: string;
  /** Objects that decided something, sorted by kind, namespace, name. */
  readonly objects: readonly ObjectRef[];
  /** Keys of the services that it is for or leads to, `namespace/host`, sorted. */
  readonly services: readonly string[];
  readonly groups: readonly FieldGroup[];
  /**
   * True if computing the resource again gave the bytes that are served. False while a last good
   * value replaces one that cannot be computed.
   */
  readonly exact: boolean;
  /** The error, where it cannot be computed now. */
  readonly fault?: string;
}

/** A request for the provenance of a resource. */
export interface ProvenanceQuestion {
  readonly mesh: Mesh;
  /** The proxy's view of the type. */
  readonly view: View;
  /** Type URL. */
  readonly type: string;
  readonly name: string;
  /** Names of the virtual hosts of a route table that are asked about; default: all. */
  readonly parts?: ReadonlySet<string>;
  /**
   * The current object of a reference. Default: the row of the table, whose generation and line may be
   * older where later edits had no effect.
   */
  readonly objectOf?: (kind: string, key: string) => Pick<ConfigObject, "meta"> | undefined;
}

/** Explains a resource; `undefined` where the view has no resource of that name. */
export function provenanceOf(question: ProvenanceQuestion): Provenance | undefined {
  const { mesh, view, type, name } = question;
  const resource = view.get(name);
  const cell = view.cellOf(name);
  if (resource === undefined || cell === undefined) return undefined;
  const decisions = new Map<string, Decision>();
  const record = recorder(decisions);
  const outcome = computeAgain(record, question, cell, resource);
  recordImport(record, mesh, view, { cell, name });
  const groups = [...decisions.values()].filter(({ of }) => of.length === 0 || of[0] === name)
    .map((decision) => ({ ...decision, of: decision.of.slice(1) }));
  const refs = outcome.recorded
    ? referencesOf(groups)
    : mesh.graph.origins(cell.table, cell.key).map(objectOfRef);
  return {
    resource: name,
    type,
    objects: [...refs].sort().flatMap((ref) => refOf(question, ref)),
    services: servicesOf(groups),
    groups,
    exact: outcome.exact,
    ...(outcome.fault === undefined ? {} : { fault: outcome.fault }),
  };
}

interface Outcome {
  /** True if decisions could be recorded. */
  readonly recorded: boolean;
  readonly exact: boolean;
  readonly fault?: string;
}

/** Computes a cell again and records its decisions. */
function computeAgain(
  record: Record,
  { mesh, parts }: ProvenanceQuestion,
  cell: CellRef,
  served: Resource,
): Outcome {
  try {
    const explained = mesh.graph.explain(cell, parts);
    if (explained === undefined) return { recorded: false, exact: false };
    for (const decision of explained.decisions) record(decision);
    const exact = (explained.value as readonly Resource[])
      .some((r) => r.name === served.name && r.version === served.version);
    return { recorded: explained.decisions.length > 0, exact };
  } catch (error) {
    return {
      recorded: false,
      exact: false,
      fault: error instanceof Error ? error.message : `${error}`,
    };
  }
}

type Record = (decision: RecordedDecision) => void;

/** Keeps each decision once. */
function recorder(decisions: Map<string, Decision>): Record {
  return ({ of = [], passedOver = [], ...rest }) => {
    const decision = { of, ...rest, ...(passedOver.length === 0 ? {} : { passedOver }) };
    decisions.set(JSON.stringify(decision), decision);
  };
}

/** References of the objects that decided something. */
export function referencesOf(groups: readonly FieldGroup[]): Set<string> {
  const refs = new Set<string>();
  for (const { source, object } of groups) {
    if (source === "object" && object !== undefined) refs.add(object);
  }
  return refs;
}

function servicesOf(groups: readonly FieldGroup[]): string[] {
  const keys = groups.flatMap((g) => g.group === "service" ? [`${g.value}`] : []);
  return [...new Set(keys)].sort();
}

/** The object of a reference `Kind/namespace/name`; none for what is no object. */
function refOf(question: ProvenanceQuestion, ref: string): ObjectRef[] {
  const row = parseRowRef(ref);
  if (row === undefined) return [];
  const { table: kind, key } = row;
  const object = question.objectOf?.(kind, key) ?? rowOf(question.mesh, kind, key);
  return object === undefined ? [] : [refOfMeta(object.meta)];
}

function rowOf(mesh: Mesh, kind: string, key: string): Pick<ConfigObject, "meta"> | undefined {
  const ref = rowOfObject({ table: kind, key });
  const table = Object.values(mesh.tables).find((t) => t.name === ref.table);
  const row = table?.peek(ref.key);
  return row !== undefined && typeof row === "object" && "meta" in row
    ? row as ConfigObject
    : undefined;
}

function refOfMeta(meta: ObjectMeta): ObjectRef {
  const { kind, namespace, name, generation, origin } = meta;
  const written = writtenObjects(meta).map(({ listener, ...one }) =>
    `${one.kind}/${objectKey(one)}${listener === undefined ? "" : ` listener ${listener}`}`
  );
  const ref = { kind, namespace, name, generation, origin };
  return written.length === 0 ? ref : { ...ref, writtenIn: written };
}

/** Objects behind a resource, for the search of a culprit. */
export interface Suspect {
  /** `kind/namespace/name`. */
  readonly object: string;
  readonly generation: number;
}

/** The objects that a resource came from; none when the view has no resource of that name. */
export function suspectsOf(question: ProvenanceQuestion): readonly Suspect[] {
  return (provenanceOf(question)?.objects ?? []).map((o) => ({
    object: rowRef({ table: o.kind, key: objectKey(o) }),
    generation: o.generation,
  }));
}
