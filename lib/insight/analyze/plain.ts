/**
 * Documents as plain values: objects of the orchestrator and of the mesh, as they are written.
 *
 * @module
 */
import { DEFAULT_NAMESPACE, type SeenDocument } from "../../mesh/schema/mod.ts";
import type { Labels } from "./workload_indexes.ts";

/** A map of a document. */
export type PlainMap = Readonly<Record<string, unknown>>;

/** A document with its name and position. */
export interface PlainDocument {
  /** API group; empty for the core group. */
  readonly group: string;
  readonly kind: string;
  /** Empty for objects without namespace, such as Namespaces. */
  readonly namespace: string;
  readonly name: string;
  readonly labels: Labels;
  readonly annotations: Labels;
  readonly value: PlainMap;
  /** Empty for objects that are not from a file. */
  readonly file: string;
  /** 1-based. */
  readonly line: number;
}

/** Kinds without namespace. */
const CLUSTER_KINDS: ReadonlySet<string> = new Set([
  "ClusterRole",
  "ClusterRoleBinding",
  "CustomResourceDefinition",
  "GatewayClass",
  "MutatingWebhookConfiguration",
  "Namespace",
  "Node",
  "ValidatingWebhookConfiguration",
]);

/** The document of a value; `undefined` when it has no kind or name. */
export function plainDocument(
  { value, file, line }: SeenDocument,
  namespace: string = DEFAULT_NAMESPACE,
): PlainDocument | undefined {
  if (!isPlainMap(value)) return undefined;
  const { apiVersion, kind } = value;
  const meta = mapAt(value, "metadata");
  if (typeof apiVersion !== "string" || typeof kind !== "string") return undefined;
  if (typeof meta.name !== "string") return undefined;
  const slash = apiVersion.indexOf("/");
  const written = typeof meta.namespace === "string" ? meta.namespace : namespace;
  return {
    group: slash < 0 ? "" : apiVersion.slice(0, slash),
    kind,
    namespace: CLUSTER_KINDS.has(kind) ? "" : written,
    name: meta.name,
    labels: textsOf(meta.labels),
    annotations: textsOf(meta.annotations),
    value,
    file,
    line,
  };
}

/** True for a map. */
export function isPlainMap(value: unknown): value is PlainMap {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value below some names; `undefined` when a part is missing. Inherited names are not found. */
export function valueAt(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce<unknown>(
    (at, name) => isPlainMap(at) && Object.hasOwn(at, name) ? at[name] : undefined,
    value,
  );
}

/** The map below some names; an empty one when there is none. */
export function mapAt(value: unknown, ...names: readonly string[]): PlainMap {
  const found = valueAt(value, ...names);
  return isPlainMap(found) ? found : {};
}

/** The list below some names; an empty one when there is none. */
export function listAt(value: unknown, ...names: readonly string[]): readonly unknown[] {
  const found = valueAt(value, ...names);
  return Array.isArray(found) ? found : [];
}

/** The text below some names; empty when there is none. Numbers are written in decimal. */
export function textAt(value: unknown, ...names: readonly string[]): string {
  const found = valueAt(value, ...names);
  return typeof found === "string" ? found : typeof found === "number" ? `${found}` : "";
}

/** The members of a map that are texts. */
export function textsOf(value: unknown): Labels {
  const members = isPlainMap(value) ? Object.entries(value) : [];
  return Object.fromEntries(members.filter(([, text]) => typeof text === "string")) as Labels;
}
