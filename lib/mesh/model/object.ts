/**
 * Configuration objects as the sources hand them on.
 *
 * @module
 */

import type { Source } from "../../kit/base/mod.ts";
import { type KeyCodec, pathOf, rowRef, text } from "../graph/mod.ts";
import type { EndpointFacts, PodFactsOfAmbient, ServiceFacts } from "./registry_facts.ts";

/** The source of an object. */
export interface Origin {
  /** `file`, or `cluster/<id>`. */
  readonly source: string;
  /** Path below the config directory, for `file`. */
  readonly file?: string;
  /** 1-based line of the document's first key, for `file`. */
  readonly line?: number;
  /** The orchestrator's uid, for `cluster/<id>`. */
  readonly uid?: string;
  /** Id of the cluster of a row about a workload or a service; unset: the daemon's own. */
  readonly cluster?: string;
}

/** Name, place and history of an object. */
export interface ObjectMeta {
  /** Kind name, for example `VirtualService`. */
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** Counts the accepted changes of the object, from 1. */
  readonly generation: number;
  /** Milliseconds since the epoch; 0 when the source does not know (files). Oldest wins in conflicts, then name and namespace. */
  readonly creationTime: number;
  readonly origin: Origin;
  /** Reported health of a workload, for objects of workloads that report; part of the digest. */
  readonly health?: "healthy" | "unhealthy";
}

/** A parsed, defaulted and validated object. Rows of the input tables; equal when `digest` and labels, annotations are. */
export interface ConfigObject<T = unknown> {
  readonly meta: ObjectMeta;
  readonly spec: T;
  /** The specification before defaults of the mesh configuration were filled in, if some were. */
  readonly writtenSpec?: T;
  /** Set for Services of an orchestrator; part of the digest. */
  readonly service?: ServiceFacts;
  /** Set for pods; part of the digest. */
  readonly pod?: EndpointFacts;
  /** Set for pods in ambient mode; part of the digest. */
  readonly ambient?: PodFactsOfAmbient;
  /** Set for Gateways made of one of the Gateway API that Mesh deploys; part of the digest. */
  readonly deployed?: DeployedGateway;
  /** True for pods that no ServiceEntry selects; they are only known as workloads of proxies. */
  readonly unselectable?: true;
  /** True for VirtualServices that apply to clients of their own namespace alone; they precede others there. */
  readonly consumer?: true;
  /** Content hash over spec, labels and annotations. */
  readonly digest: string;
}

/** A Gateway of the Gateway API whose proxies Mesh deploys, in its namespace. */
export interface DeployedGateway extends ObjectKey {
  /** The account of its proxies. */
  readonly serviceAccount: string;
}

/** Namespace and name of an object: its key among the objects of a kind. */
export interface ObjectKey {
  readonly namespace: string;
  readonly name: string;
}

/** The codec of object keys: `namespace/name`. */
export const objectKeys: KeyCodec<ObjectKey> = pathOf<ObjectKey>({ namespace: text, name: text });

/** The row key of an object as text: `namespace/name`. */
export function objectKey(meta: ObjectKey): string {
  return objectKeys.encode(meta);
}

/** The namespace of a row key as text. */
export function namespaceOf(key: string): string {
  return objectKeys.decode(key).namespace;
}

/** An object as it is named in decisions: `Kind/namespace/name`. */
export function objectRef({ meta }: Pick<ConfigObject, "meta">): string {
  return rowRef({ table: meta.kind, key: objectKey(meta) });
}

/** An object as the source of a decision. */
export function fromObject(object: Pick<ConfigObject, "meta">, field?: string): Source {
  return {
    source: "object",
    object: objectRef(object),
    ...(field === undefined ? {} : { field }),
  };
}

/** The reason why one of two objects of equal rank comes after the other. */
export function whyLater(later: ConfigObject, earlier: ConfigObject): string {
  const first = objectRef(earlier);
  if (isRemote(later) > isRemote(earlier)) return `${first} is of the daemon's own cluster`;
  const [a, b] = [later.meta.creationTime || Infinity, earlier.meta.creationTime || Infinity];
  return a > b ? `${first} is older` : `${first} comes first by name, and neither is older`;
}

/** 1 for rows of other clusters, otherwise 0. */
function isRemote({ meta: { origin } }: ConfigObject): number {
  return Number(origin.cluster !== undefined);
}

/**
 * Rows of other clusters last; oldest first; objects without an age after those with one; then by
 * name and namespace.
 */
export function byAge(a: ConfigObject, b: ConfigObject): number {
  const remote = isRemote(a) - isRemote(b);
  if (remote !== 0) return remote;
  const age = (a.meta.creationTime || Infinity) - (b.meta.creationTime || Infinity);
  if (age !== 0 && !Number.isNaN(age)) return age;
  return order(a.meta.name, b.meta.name) || order(a.meta.namespace, b.meta.namespace);
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Label of objects, namespaces, pods and injectors with a revision of the daemon, or its tag. */
export const REVISION_LABEL = "mesh.io/rev";

/** Reports if `labels` has every pair of `selector`. */
export function hasLabels(labels: ObjectMeta["labels"], selector: ObjectMeta["labels"]): boolean {
  for (const key in selector) if (labels[key] !== selector[key]) return false;
  return true;
}

/** One requirement of a label selector of the orchestrator (`matchExpressions`). */
export interface LabelRequirement {
  readonly key: string;
  /** `In`, `NotIn`, `Exists` or `DoesNotExist`. */
  readonly operator: string;
  readonly values: readonly string[];
}

/** Reports if labels meet a requirement; none meet one with an unknown operator. */
export function meetsRequirement(
  labels: ObjectMeta["labels"],
  { key, operator, values }: LabelRequirement,
): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    default:
      return false;
  }
}

/**
 * Row key of a Gateway by its name in a VirtualService: `namespace/name`, `name` in its
 * own namespace, or the older form `name.namespace.svc.domain`.
 */
export function gatewayKey(name: string, namespace: string): string {
  if (name.startsWith("./")) return objectKey({ namespace, name: name.slice(2) });
  if (name.includes("/")) return name;
  const dot = name.indexOf(".svc.");
  if (dot > 0) {
    const [gateway, ns] = name.slice(0, dot).split(".");
    if (gateway !== undefined && ns !== undefined) {
      return objectKey({ namespace: ns, name: gateway });
    }
  }
  return objectKey({ namespace, name });
}
