/**
 * Metrics of workloads that register themselves.
 *
 * @module
 */
import { type Counter, counter } from "../../../kit/metrics/mod.ts";

/** Counters of registrations. */
export const counts: Readonly<
  Record<
    "made" | "updated" | "unregistered" | "deleted" | "failed",
    Counter
  >
> = {
  made: counter({
    name: "auto_registration_success_total",
    help: "WorkloadEntries made for workloads that registered themselves.",
  }),
  updated: counter({
    name: "auto_registration_updates_total",
    help: "WorkloadEntries of registered workloads that were changed.",
  }),
  unregistered: counter({
    name: "auto_registration_unregister_total",
    help: "Registered workloads that disconnected.",
  }),
  deleted: counter({
    name: "auto_registration_deletes_total",
    help: "WorkloadEntries deleted because their workload did not come back, or its group went.",
  }),
  failed: counter({
    name: "auto_registration_errors_total",
    help: "Workloads that wanted to register and could not.",
  }),
};
