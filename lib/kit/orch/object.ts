/**
 * Objects and lists as the API server sends them.
 *
 * @module
 */

/** Metadata of an object; fields that the project does not use are left out. */
export interface OrchMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly generateName?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  /** RFC 3339. */
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly managedFields?: unknown;
}

/** An owner of an object. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
}

/** Any object. */
export interface OrchObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: OrchMeta;
}

/** An object as items of lists have it: without `apiVersion` and `kind`. */
export type ListItem = Partial<Pick<OrchObject, "apiVersion" | "kind">> & {
  readonly metadata: OrchMeta;
};

/** One page of a list. */
export interface OrchList<T> {
  readonly metadata: {
    readonly resourceVersion?: string;
    /** Set if there are further pages. */
    readonly continue?: string;
  };
  readonly items: readonly T[];
}

/** Annotation in which `kubectl apply` stores a copy of the object. */
const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

/**
 * An object without fields that only writers need, which are up to two thirds of its size, and
 * without its type, which items of lists do not have and objects of events have.
 */
export function trimmed(object: ListItem): ListItem {
  const { apiVersion: _, kind: __, ...rest } = object;
  const { managedFields: ___, annotations, ...meta } = object.metadata;
  if (annotations === undefined) return { ...rest, metadata: meta };
  const { [LAST_APPLIED]: ____, ...kept } = annotations;
  return { ...rest, metadata: { ...meta, annotations: kept } };
}
