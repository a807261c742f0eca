/**
 * Source of WorkloadEntries: workloads that register themselves over their discovery streams.
 *
 * @module
 */
import type { Ingest } from "../../ingest/mod.ts";
import type { ConfigObject, ProxyNode } from "../../model/mod.ts";
import {
  MESH_REGISTRATION_DIR,
  MESH_WORKLOAD_ENTRY_VALIDATE_IDENTITY,
  PILOT_ENABLE_WORKLOAD_ENTRY_AUTOREGISTRATION,
  PILOT_ENABLE_WORKLOAD_ENTRY_HEALTHCHECKS,
  PILOT_WORKLOAD_ENTRY_GRACE_PERIOD,
} from "../variables.ts";
import { REGISTRATION } from "./entry.ts";
import { createRegistrations, isRegistered } from "./registrations.ts";
import type { RegisteredEntry } from "./types.ts";
import { openWorkloadStore } from "./store.ts";

/** The part of serving's observer interface that registration uses. */
export interface StreamObserver {
  opened(stream: { readonly id: string; readonly node: ProxyNode }): void;
  closed(stream: { readonly id: string }): void;
  reported(report: {
    readonly stream: { readonly id: string };
    readonly fault?: string | undefined;
  }): void;
}

/** Registration at work. */
export interface Registration extends Disposable {
  /** Observers of streams; none when workloads may not register. */
  readonly observers: readonly StreamObserver[];
  /** Entries that were made and are in use, sorted by namespace and name. */
  objects(): ConfigObject[];
  /** The same with the state of their connections. */
  entries(): RegisteredEntry[];
  /** Calls back after changes of `entries`; returns a function that ends this. */
  onChange(changed: () => void): () => void;
}

/** Settings of registration. */
export interface RegistrationSourceOptions {
  /** Ingest, to which sources of higher precedence were added before. */
  readonly ingest: Ingest;
  /** The version of a WorkloadEntry that is in use. */
  readonly entryInUse: (key: string) => ConfigObject | undefined;
}

/** Starts with the stored workloads of an earlier run. Must be started before other sources report their objects. */
export function startRegistration(
  { ingest, entryInUse }: RegistrationSourceOptions,
): Registration {
  const intake = ingest.open(REGISTRATION);
  intake.synced();
  const dir = MESH_REGISTRATION_DIR.get();
  const store = dir ? openWorkloadStore(dir) : undefined;
  const listeners = new Set<() => void>();
  const registrations = createRegistrations({
    validateIdentity: MESH_WORKLOAD_ENTRY_VALIDATE_IDENTITY.get(),
    stored: store?.workloads,
    onStore: store?.save,
    graceMs: PILOT_WORKLOAD_ENTRY_GRACE_PERIOD.get(),
    health: PILOT_ENABLE_WORKLOAD_ENTRY_HEALTHCHECKS.get(),
    timer: (run, ms) => {
      const id = setTimeout(run, ms);
      return () => clearTimeout(id);
    },
    clock: () => Date.now(),
    isTaken: (key) => {
      const entry = entryInUse(key);
      return entry !== undefined && entry.meta.origin.source !== REGISTRATION &&
        !isRegistered(entry);
    },
    onState: () => {
      for (const changed of listeners) changed();
    },
    onChange: (changes) => intake.objects(changes),
  });
  const unsubscribe = ingest.subscribe((source, changes) => {
    if (source !== REGISTRATION) registrations.follow(changes);
  });
  const observer: StreamObserver = {
    opened: ({ id, node }) => registrations.opened(id, node),
    closed: ({ id }) => registrations.closed(id),
    reported: ({ stream, fault }) => registrations.reported(stream.id, fault),
  };
  return {
    observers: PILOT_ENABLE_WORKLOAD_ENTRY_AUTOREGISTRATION.get() ? [observer] : [],
    objects: () => registrations.objects(),
    entries: () => registrations.entries(),
    onChange: (changed) => {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
    [Symbol.dispose]: () => {
      unsubscribe();
      registrations.close();
      store?.close();
    },
  };
}
