/**
 * Tests with a real API server.
 *
 * @module
 */
import assert from "node:assert/strict";
import {
  daemonRoles,
  defaultRoleOptions,
  type RoleObject,
  type RoleOptions,
} from "../../lib/cluster/roles/mod.ts";
import {
  type Access,
  accessOf,
  ALL_CREDENTIAL_OPTIONS,
  createClient,
  loadKubeconfig,
  type OrchClient,
} from "../../lib/kit/orch/mod.ts";
import { lackingCluster } from "../../scripts/cluster/programs.ts";
import { type Cluster, type ClusterOptions, startCluster } from "../../scripts/harness/mod.ts";
import { rolesText } from "../../scripts/roles.ts";
import { ensureNamespace } from "./service_accounts.ts";

const LACKING = lackingCluster();

/** Options of {@linkcode clusterTest}. */
export interface ClusterTestOptions extends ClusterOptions {
  /** Why the test cannot run here. */
  readonly missing?: string | undefined;
  /** Roles of the daemon's user; by default those that every daemon needs. */
  readonly roles?: Partial<RoleOptions> | "none";
}

/**
 * A test with a cluster of its own; skipped, with the reason in its name, where there can be none. The
 * cluster has the system namespace, and the user of `daemonKubeconfig` has the documented roles.
 */
export function clusterTest(
  name: string,
  fn: (cluster: Cluster, t: Deno.TestContext) => Promise<void>,
  options: ClusterTestOptions = {},
): void {
  const reason = LACKING ?? options.missing;
  Deno.test({
    name: reason === undefined ? name : `${name} [${reason}]`,
    ignore: reason !== undefined,
    fn: async (t) => {
      await using cluster = await startCluster(options);
      if (options.roles !== "none") await grantRoles(cluster, options.roles);
      await fn(cluster, t);
    },
  });
}

/** Gives the daemon's user its roles; by default those of a daemon, not of a reader. */
export async function grantRoles(
  cluster: Cluster,
  roles: Partial<RoleOptions> = {},
  objectsOf: (options: RoleOptions) => RoleObject[] = daemonRoles,
): Promise<void> {
  using client = await adminClient(cluster);
  const options = { ...defaultRoleOptions(), ...roles };
  await ensureNamespace(client, options.namespace);
  const objects = rolesText(objectsOf(options));
  const { success, text } = await cluster.run(["apply", "-f", "-"], objects);
  assert.ok(success, text);
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
