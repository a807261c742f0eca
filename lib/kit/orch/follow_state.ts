/**
 * The state of followed resource types, and the list of those that a client follows.
 *
 * @module
 */

/** State of a followed type. */
export interface FollowState {
  /** True once all objects were received. */
  readonly synced: boolean;
  /** The reason why the server cannot be followed now; the last objects stay in use. */
  readonly fault: string | undefined;
  /** When the fault began, milliseconds since the epoch; `undefined` without a fault. */
  readonly faultSince: number | undefined;
  /** True if the server does not have the resource type. */
  readonly absent: boolean;
  readonly objects: number;
  /** Lists, watches and events since the start. */
  readonly lists: number;
  readonly watches: number;
  readonly events: number;
  /**
   * When a check found that the server has other objects than those that were received, milliseconds
   * since the epoch; `undefined` without a difference.
   */
  readonly differentSince: number | undefined;
  /** Checks against the server since the start, and objects whose events were lost. */
  readonly checks: number;
  readonly lost: number;
}

/** A resource type that a client follows. */
export interface FollowedType {
  /** Plural and group, such as `gateways.networking.mesh.io`. */
  readonly resource: string;
  state(): FollowState;
}

/** The resource types that a client follows. */
export interface FollowedTypes {
  /** Adds a type; the returned function removes it. */
  add(type: FollowedType): () => void;
  list(): readonly FollowedType[];
}

/** Creates an empty list. */
export function createFollowedTypes(): FollowedTypes {
  const types = new Set<FollowedType>();
  return {
    add(type) {
      types.add(type);
      return () => types.delete(type);
    },
    list: () => [...types],
  };
}
