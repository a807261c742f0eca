/**
 * Metrics of other clusters.
 *
 * @module
 */
import { type Counter, counter, gauge, type GaugeOptions } from "../../../../kit/metrics/mod.ts";
import type { ClusterState, RemoteCluster } from "./state.ts";

/** Changes of secrets with clusters. */
export const secretEvents: Counter = counter({
  name: "remote_cluster_secret_events_total",
  help: "Clusters that secrets added, changed and removed.",
  labels: ["event"],
});

/** Clusters that were not read in time. */
export const syncTimeouts: Counter = counter({
  name: "remote_cluster_sync_timeouts_total",
  help: "Times that a remote cluster was not read within PILOT_REMOTE_CLUSTER_TIMEOUT.",
  labels: ["cluster"],
});

const SYNC_STATUS: GaugeOptions = {
  name: "meshd_remote_cluster_sync_status",
  help: "1 for the state of each remote cluster: syncing, synced, timeout, closed; otherwise 0.",
  labels: ["cluster", "state"],
};
gauge(SYNC_STATUS);

const EXPIRY: GaugeOptions = {
  name: "mesh_remote_cluster_credential_expiry_timestamp",
  help: "End of the credentials of a remote cluster, in seconds since 1970, if they have one.",
  labels: ["cluster"],
};
gauge(EXPIRY);

const STATES: readonly ClusterState[] = ["syncing", "synced", "timeout", "closed"];

/** Registers the metrics that are computed when they are scraped. */
export function observeClusters(clusters: () => readonly RemoteCluster[]): void {
  gauge({
    name: "meshd_managed_clusters",
    help: "Clusters that configuration comes from: the daemon's own one, and others.",
    labels: ["cluster_type"],
    collect: (managed) => {
      managed.set({ cluster_type: "local" }, 1);
      managed.set({ cluster_type: "remote" }, clusters().length);
    },
  });
  gauge({
    ...SYNC_STATUS,
    collect: (status) => {
      for (const { cluster, state } of clusters()) {
        for (const one of STATES) status.set({ cluster, state: one }, Number(one === state));
      }
    },
  });
  gauge({
    ...EXPIRY,
    collect: (expiry) => {
      for (const { cluster, validity } of clusters()) {
        if (validity !== undefined) expiry.set({ cluster }, validity.notAfter / 1000);
      }
    },
  });
}
