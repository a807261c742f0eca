/**
 * Tests with a real API server.
 *
 * @module
 */
import {
  type Access,
  accessOf,
  ALL_CREDENTIAL_OPTIONS,
  createClient,
  loadKubeconfig,
  type OrchClient,
} from "../../lib/orch/mod.ts";
import { lackingCluster } from "../../scripts/cluster/programs.ts";
import { type Cluster, type ClusterOptions, startCluster } from "../../scripts/harness/mod.ts";

const LACKING = lackingCluster();

/** A test with a cluster of its own; skipped, with the reason in its name, where there can be none. */
export function clusterTest(
  name: string,
  fn: (cluster: Cluster, t: Deno.TestContext) => Promise<void>,
  options: ClusterOptions & { readonly missing?: string | undefined } = {},
): void {
  const reason = LACKING ?? options.missing;
  Deno.test({
    name: reason === undefined ? name : `${name} [${reason}]`,
    ignore: reason !== undefined,
    fn: async (t) => {
      await using cluster = await startCluster(options);
      await fn(cluster, t);
    },
  });
}

/** Access as the administrator; `server` replaces the address of the API server. */
export async function adminAccess(
  { files }: Cluster,
  server?: string,
  kubeconfig: string = files.kubeconfig,
): Promise<Access> {
  const config = await loadKubeconfig([kubeconfig]);
  const access = accessOf(config, { allowed: ALL_CREDENTIAL_OPTIONS });
  return server === undefined ? access : { ...access, server };
}

/** A client of the administrator without a limit of its rate. */
export async function adminClient(cluster: Cluster, server?: string): Promise<OrchClient> {
  return createClient(await adminAccess(cluster, server), { rate: { qps: 0, burst: 0 } });
}
