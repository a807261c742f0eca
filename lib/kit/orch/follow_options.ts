/**
 * Settings of following a resource type, and what it gives.
 *
 * @module
 */
import type { OrchClient } from "./client.ts";
import type { FollowState } from "./follow_state.ts";
import type { Changes } from "./held.ts";
import type { ListItem } from "./object.ts";
import type { ObjectName, ResourceType, Selection } from "./resource.ts";
import type { FollowTiming } from "./timing.ts";

/** Settings of following a type. */
export interface FollowOptions<V> {
  readonly client: OrchClient;
  readonly type: ResourceType;
  readonly selection?: Selection;
  /** True: a type that the server does not have is followed as an empty one, until it has it. */
  readonly optional?: boolean;
  /**
   * Versions that are read while the server lacks that of `type`: the first that it has. A server with
   * none of them lacks the type. Default: none, and a server with other versions is a fault.
   */
  readonly versions?: readonly string[];
  /** Makes the value that is kept of an object, without its managed fields. Must not throw. */
  readonly convert: (object: ListItem) => V;
  /** {@linkcode convert} in steps, for objects that take long. Must not throw. */
  readonly convertInSteps?: (object: ListItem) => Generator<void, V>;
  /**
   * The plain data of a value that count as a change. Default: the object without its resource
   * version. Must not throw.
   */
  readonly contentOf?: (value: V) => unknown;
  /** Called with changes: first all objects, then differences. Must not throw. */
  readonly changed: (changes: Changes<V>) => void;
  /** Called when the state of the connection changes. Must not throw. */
  readonly stateChanged?: (state: FollowState) => void;
  readonly timing?: Partial<FollowTiming>;
}

/** A followed type. */
export interface Following<V> {
  /** Resolves when all objects were received and reported once, or after `close`. */
  readonly synced: Promise<void>;
  state(): FollowState;
  /** The type, in the version that is read now. */
  type(): ResourceType;
  get(name: ObjectName): V | undefined;
  values(): V[];
  close(): Promise<void>;
}
