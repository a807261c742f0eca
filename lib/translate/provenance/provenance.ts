/**
 * Why a resource is as it is: which objects it came from, and which of them gave
 * each group of fields.
 *
 * @module
 */
import type { Mesh, Tell, Told } from "../../derive/mod.ts";
import type { CellRef, Resource, View } from "../../graph/mod.ts";
import type { ConfigObject, ObjectMeta, Origin } from "../../model/mod.ts";
import { tellImport } from "./imports.ts";

/** An object that a resource came from. */
export interface ObjectRef {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly generation: number;
  /** File and line, or the orchestrator's uid. */
  readonly origin: Origin;
}

/** One decision about a resource; see `Told`. */
export interface FieldGroup extends Omit<Told, "of"> {
  /** The part of the resource that it is about, outermost first; empty: all of it. */
  readonly of: readonly string[];
}

/** Why a resource is as it is. Plain data, ready for JSON. */
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
   * Whether the decisions, made once more, gave the very bytes that are served.
   * False while a last good value stands in for one that cannot be computed.
   */
  readonly exact: boolean;
  /** Why it cannot be computed now. */
  readonly fault?: string;
}

/** Of what a provenance is asked. */
export interface ProvenanceQuestion {
  readonly mesh: Mesh;
  /** What the proxy sees of the type. */
  readonly view: View;
  /** Type URL. */
  readonly type: string;
  readonly name: string;
  /**
   * The object of a reference as it stands now. Default: the table's row, of which
   * generation and line may be older, when nothing that counts has changed since.
   */
  readonly objectOf?: (kind: string, key: string) => Pick<ConfigObject, "meta"> | undefined;
}

/** Explains a resource; `undefined` when the view has none of that name. */
export function provenanceOf(question: ProvenanceQuestion): Provenance | undefined {
  const { mesh, view, type, name } = question;
  const resource = view.get(name);
  const cell = view.cellOf(name);
  if (resource === undefined || cell === undefined) return undefined;
  const heard = listen();
  const outcome = again(mesh, cell, resource, heard.tell);
  tellImport(mesh, view, cell, name, heard.tell);
  const groups = heard.told().filter(({ of }) => of.length === 0 || of[0] === name)
    .map((told) => ({ ...told, of: told.of.slice(1) }));
  const refs = outcome.told ? referencesOf(groups) : mesh.graph.origins(cell.table, cell.key);
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
  /** Whether the decisions could be heard. */
  readonly told: boolean;
  readonly exact: boolean;
  readonly fault?: string;
}

/** Makes the decisions behind a cell again. */
function again(mesh: Mesh, cell: CellRef, served: Resource, tell: Tell): Outcome {
  try {
    const made = mesh.graph.explain(cell);
    if (made === undefined) return { told: false, exact: false };
    for (const decision of made.decisions) tell(decision);
    const same = (made.value as readonly Resource[])
      .some((r) => r.name === served.name && r.version === served.version);
    return { told: made.decisions.length > 0, exact: same };
  } catch (error) {
    return {
      told: false,
      exact: false,
      fault: error instanceof Error ? error.message : `${error}`,
    };
  }
}

/** Keeps what is told, once each. */
export function listen(): { readonly tell: Tell; told(): Told[] } {
  const heard = new Map<string, Told>();
  return {
    tell: ({ of = [], passedOver = [], ...told }) => {
      const entry = { of, ...told, ...(passedOver.length === 0 ? {} : { passedOver }) };
      heard.set(JSON.stringify(entry), entry);
    },
    told: () => [...heard.values()],
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
  const slash = ref.indexOf("/");
  const [kind, key] = [ref.slice(0, slash), ref.slice(slash + 1)];
  const object = question.objectOf?.(kind, key) ?? rowOf(question.mesh, kind, key);
  return object === undefined ? [] : [refOfMeta(object.meta)];
}

function rowOf(mesh: Mesh, kind: string, key: string): Pick<ConfigObject, "meta"> | undefined {
  const table = Object.values(mesh.tables).find((t) => t.name === kind);
  const row = table?.peek(key);
  return row !== undefined && typeof row === "object" && "meta" in row
    ? row as ConfigObject
    : undefined;
}

function refOfMeta({ kind, namespace, name, generation, origin }: ObjectMeta): ObjectRef {
  return { kind, namespace, name, generation, origin };
}

/** Objects behind a resource for whoever looks for a culprit. */
export interface Suspect {
  /** `kind/namespace/name`. */
  readonly object: string;
  readonly generation: number;
}

/** The objects that a resource came from; none when the view has no resource of that name. */
export function suspectsOf(question: ProvenanceQuestion): readonly Suspect[] {
  return (provenanceOf(question)?.objects ?? []).map((o) => ({
    object: `${o.kind}/${o.namespace}/${o.name}`,
    generation: o.generation,
  }));
}
