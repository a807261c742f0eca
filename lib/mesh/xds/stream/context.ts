/**
 * State that sessions share.
 *
 * @module
 */
import type { View } from "../../graph/mod.ts";
import type { NameTable, SnapshotStore, Subscription } from "../subscription/mod.ts";
import type { XdsObserver } from "./observe.ts";
import type { Culprit, Quarantine } from "../quarantine/mod.ts";
import type { Registry } from "./registry.ts";
import type { ResponseEncoder } from "../wire/mod.ts";

/** State that sessions share; `S` is `Session`. */
export interface SharedContext<S> {
  readonly names: NameTable;
  /** Memory of {@link names}, bytes, below which all of them had resources; see `name_limit.ts`. */
  searchNamesAbove: number;
  readonly registry: Registry<S>;
  /** Revision of the last publication. */
  readonly revision: () => number;
  /** Milliseconds, monotonic, with fractions. */
  readonly now: () => number;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** Time of the first change of the current publication; by `now`. */
  readonly changedAt: () => number;
  /** The encoder of a type, shared when the type is served. */
  readonly encoder: (
    typeUrl: string,
    variant: "sotw" | "delta",
    served: boolean,
  ) => ResponseEncoder;
  /** Enqueues a session for sending. */
  readonly enqueue: (session: S) => void;
  /** Resolves when the resources of all bound proxies were computed; see `BindingSource.prepare`. */
  readonly prepared: () => Promise<void> | undefined;
  readonly quarantine: Quarantine;
  /** Stored content of slow clients. */
  readonly snapshots: SnapshotStore;
  /** Configuration objects that a resource comes from. */
  readonly culprits: (view: View, name: string) => readonly Culprit[];
  /** Observer of serving. */
  readonly observer: XdsObserver;
  /**
   * Views of streams before they were rebound, collected until the publication that rebound them is
   * notified.
   */
  readonly rebinds: Map<
    Subscription,
    { readonly session: S; readonly before: View | undefined }
  >;
  /** Says once that a type is not served. */
  readonly unserved: (session: S, typeUrl: string) => void;
  readonly limits: {
    /** Names one stream may ask for. */
    readonly maxNames: number;
    /** Bytes of the names and versions of one stream, about. */
    readonly maxNameBytes: number;
    /** Types one stream may ask for. */
    readonly maxTypes: number;
    /** Bytes of resources in one delta response, about. */
    readonly slice: number;
    /** Bytes that may wait in the transport before the session waits too. */
    readonly pending: number;
    /** Idle time on the stream before removals are sent, milliseconds. */
    readonly settleMs: number;
    /** Longest time removals wait, for quiet and for acknowledgements, milliseconds. */
    readonly drainMs: number;
    /** Longest time that what refers to new clusters waits for their endpoints to be taken, milliseconds. */
    readonly warmMs: number;
  };
}
