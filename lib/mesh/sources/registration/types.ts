/**
 * Types of the registration of workloads.
 *
 * @module
 */
import type { ObjectChanges } from "../../ingest/mod.ts";
import type { ConfigObject, ProxyNode } from "../../model/mod.ts";

/** Settings and callbacks of registrations. */
export interface RegistrationOptions {
  /** Milliseconds that a workload may be disconnected before its entry is deleted. */
  readonly graceMs: number;
  /** True: reports of health are used. */
  readonly health: boolean;
  /** True: a workload must prove an identity with the namespace and service account of its group. */
  readonly validateIdentity: boolean;
  /** Workloads of an earlier run. They are deleted unless they connect within the grace time. */
  readonly stored?: readonly StoredWorkload[];
  /** Called after each change of the workloads; `workloads` are those to store. */
  readonly onStore?: (workloads: () => StoredWorkload[]) => void;
  /** Runs a function later; returns a function that cancels it. */
  readonly timer: (run: () => void, ms: number) => () => void;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** True when another source has a WorkloadEntry of this key, which is then used. */
  readonly isTaken: (key: string) => boolean;
  /** Called after workloads connected, disconnected or changed. Must not throw. */
  readonly onState?: () => void;
  /** Called with the entries that are added, changed and deleted. Must not throw. */
  readonly onChange: (changes: ObjectChanges) => void;
}

/** A registered workload in a form that a file can hold. */
export interface StoredWorkload {
  /** Name of its group, which is in the namespace of the node. */
  readonly group: string;
  /** When it connected first; milliseconds since the epoch. */
  readonly since: number;
  readonly healthy: boolean;
  readonly node: ProxyNode;
}

/** The entry of a registered workload, with the state of its connection. */
export interface RegisteredEntry {
  readonly entry: ConfigObject;
  /** When it connected first; milliseconds since the epoch. */
  readonly since: number;
  /** When its last stream ended; `undefined` while it is connected. */
  readonly disconnectedAt: number | undefined;
}

/** Registered workloads and their entries. */
export interface Registrations {
  /** A stream was opened. */
  opened(stream: string, node: ProxyNode): void;
  /** A stream ended. */
  closed(stream: string): void;
  /** A workload reported over its stream that it is healthy (`undefined`), or the fault it has. */
  reported(stream: string, fault: string | undefined): void;
  /** Takes changes of other sources: WorkloadGroups, and WorkloadEntries that are used instead. */
  follow(changes: ObjectChanges): void;
  /** Entries that were made and are in use, sorted by namespace and name. */
  objects(): ConfigObject[];
  /** The entries in use, with the state of their connections. */
  entries(): RegisteredEntry[];
  /** Cancels all timers; deletes nothing. */
  close(): void;
}
