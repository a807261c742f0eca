/**
 * State that sessions share.
 *
 * @module
 */
import type { XdsLimits } from "./limits.ts";
import type { View } from "../../graph/mod.ts";
import type { NameTable, SnapshotStore, Subscription } from "../subscription/mod.ts";
import type { XdsObserver } from "./observe.ts";
import type { Culprit, Quarantine } from "../quarantine/mod.ts";
import type { LearnedScopes } from "../learned/mod.ts";
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
  /** Names that were asked for on demand; `undefined`: nothing is remembered. */
  readonly learned: LearnedScopes | undefined;
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
  readonly limits: Required<XdsLimits>;
}
