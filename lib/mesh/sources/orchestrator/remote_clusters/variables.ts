/**
 * Environment variables of several clusters.
 *
 * @module
 */
import { declareEnv, type EnvVar } from "../../../../kit/env/mod.ts";

const readers = ["pilot-discovery"] as const;

/** Time after which a cluster that was not read counts as synced without data, in milliseconds. */
export const PILOT_REMOTE_CLUSTER_TIMEOUT: EnvVar<number> = declareEnv({
  name: "PILOT_REMOTE_CLUSTER_TIMEOUT",
  type: "duration",
  default: "30s",
  range: { least: 1 },
  doc: "Time after which the daemon is ready even if a remote cluster has not been read.",
  readers,
});

/** Sorts of credentials of other clusters that are accepted, separated by commas. */
export const PILOT_INSECURE_MULTICLUSTER_ORCHCONFIG_OPTIONS: EnvVar<string | undefined> =
  declareEnv({
    name: "PILOT_INSECURE_MULTICLUSTER_ORCHCONFIG_OPTIONS",
    type: "string",
    doc:
      "Unsafe options that are accepted in the configurations of other clusters, separated by commas: `exec`, `clientKey`, `clientCertificate`, `tokenFile`, and the auth providers `azure`, `gcp`, `oidc`; and beside those of authentication `certificateAuthority` (a file), `plaintextServer` (`http://`), `proxyUrl`, `insecureSkipVerify`.",
    readers,
  });

/** True: the secrets of clusters are those of the cluster in which the daemon runs. */
export const LOCAL_CLUSTER_SECRET_WATCHER: EnvVar<boolean> = declareEnv({
  name: "LOCAL_CLUSTER_SECRET_WATCHER",
  type: "bool",
  default: false,
  doc:
    "Read the secrets that name remote clusters from the cluster in which the daemon's pod runs, not from that of `--orchconfig`; needs EXTERNAL_MESHD.",
  readers,
});
