/**
 * Configuration objects as the sources hand them on.
 *
 * @module
 */

/** Where an object was read from. */
export interface Origin {
  /** `file`, or `cluster/<id>`. */
  readonly source: string;
  /** Path below the config directory, for `file`. */
  readonly file?: string;
  /** 1-based line of the document's first key, for `file`. */
  readonly line?: number;
  /** The orchestrator's uid, for `cluster/<id>`. */
  readonly uid?: string;
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
  /** Milliseconds since the epoch; 0 when the source does not know (files). Oldest wins in conflicts, then namespace and name. */
  readonly creationTime: number;
  readonly origin: Origin;
  /** What was reported of a workload, for objects of workloads that report; part of the digest. */
  readonly health?: "healthy" | "unhealthy";
}

/** A parsed, defaulted and validated object. Rows of the input tables; equal when `digest` and labels, annotations are. */
export interface ConfigObject<T = unknown> {
  readonly meta: ObjectMeta;
  readonly spec: T;
  /** Content hash over spec, labels and annotations. */
  readonly digest: string;
}

/** The row key of an object: `namespace/name`. */
export function objectKey(meta: { readonly namespace: string; readonly name: string }): string {
  return `${meta.namespace}/${meta.name}`;
}
