/**
 * Registration of workloads in the daemon: which streams it hears of, and where entries go.
 *
 * @module
 */
import { declareEnv } from "../../lib/env/mod.ts";
import type { XdsObserver } from "../../lib/serve/mod.ts";
import { type ChangeSet, createRegistrations, type Registrations } from "../../lib/sources/mod.ts";

const readers = ["pilot-discovery"] as const;

const PILOT_ENABLE_WORKLOAD_ENTRY_AUTOREGISTRATION = declareEnv({
  name: "PILOT_ENABLE_WORKLOAD_ENTRY_AUTOREGISTRATION",
  type: "bool",
  default: true,
  doc:
    "Create a WorkloadEntry for a proxy that names a WorkloadGroup when it connects (node metadata `AUTO_REGISTER_GROUP`).",
  readers,
});

const PILOT_ENABLE_WORKLOAD_ENTRY_HEALTHCHECKS = declareEnv({
  name: "PILOT_ENABLE_WORKLOAD_ENTRY_HEALTHCHECKS",
  type: "bool",
  default: true,
  doc: "Use the health that agents report for registered workloads.",
  readers,
});

const PILOT_WORKLOAD_ENTRY_GRACE_PERIOD = declareEnv({
  name: "PILOT_WORKLOAD_ENTRY_GRACE_PERIOD",
  type: "duration",
  default: "10s",
  range: { least: 0 },
  doc:
    "Time without a connection after which the WorkloadEntry of a registered workload is deleted.",
  readers,
});

/** Registration at work. */
export interface Registration {
  /** To be told of streams; none where workloads may not register. */
  readonly observers: readonly XdsObserver[];
  readonly follow: Registrations["follow"];
  readonly objects: Registrations["objects"];
  readonly close: () => void;
}

/** Starts without workloads. */
export function startRegistration(
  held: (key: string) => boolean,
  onChange: (changes: ChangeSet) => void,
): Registration {
  const registrations = createRegistrations({
    graceMs: PILOT_WORKLOAD_ENTRY_GRACE_PERIOD.get(),
    health: PILOT_ENABLE_WORKLOAD_ENTRY_HEALTHCHECKS.get(),
    later: (run, ms) => {
      const id = setTimeout(run, ms);
      return () => clearTimeout(id);
    },
    clock: () => Date.now(),
    held,
    onChange,
  });
  const observer: XdsObserver = {
    opened: ({ id, node }) => registrations.opened(id, node),
    closed: ({ id }) => registrations.closed(id),
    reported: ({ stream, fault }) => registrations.reported(stream.id, fault),
  };
  return {
    observers: PILOT_ENABLE_WORKLOAD_ENTRY_AUTOREGISTRATION.get() ? [observer] : [],
    follow: registrations.follow,
    objects: registrations.objects,
    close: registrations.close,
  };
}
