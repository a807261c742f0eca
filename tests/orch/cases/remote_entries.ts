/**
 * WorkloadEntries of a remote cluster: endpoints of its Services and of ServiceEntries.
 *
 * @module
 */
import assert from "node:assert/strict";
import { readerRoles, type RoleObject, type RoleOptions } from "../../../lib/cluster/roles/mod.ts";
import { deleteObject, mergePatch, type OrchClient, types } from "../../../lib/kit/orch/mod.ts";
import { TABLED_KINDS } from "../../../lib/mesh/schema/mod.ts";
import { resourceTypeOf } from "../../../lib/mesh/sources/mod.ts";
import { applyDefinitions } from "../../../scripts/crds.ts";
import {
  type Cluster,
  type Daemon,
  eventually,
  startDaemon,
} from "../../../scripts/harness/mod.ts";
import { grantRoles } from "../../support/cluster.ts";
import { make, makeService } from "../../support/cluster_objects.ts";
import { type EndpointWatcher, watchEndpoints } from "../../support/endpoint_watcher.ts";

/** A Service of the remote cluster, one of the daemon's cluster, and a ServiceEntry. */
const MACHINES = "outbound|80||machines.default.svc.cluster.local";
const NEAR = "outbound|80||near-machines.default.svc.cluster.local";
const ENTRY = "outbound|80||machines.test";
const ALL = [MACHINES, NEAR, ENTRY];

/** The clusters of the test. */
export interface EntriesWorld {
  readonly cluster: Cluster;
  readonly other: Cluster;
  /** Administrators of both. */
  readonly near: OrchClient;
  readonly far: OrchClient;
  /** A daemon that follows both. */
  readonly daemon: Daemon;
  readonly roles: Partial<RoleOptions>;
}

/** Endpoints of the remote Service and of the ServiceEntry; the Service of the daemon's cluster has none. */
function has(watcher: EndpointWatcher, addresses: readonly string[]): Promise<boolean> {
  return eventually(
    `endpoints ${addresses}`,
    () =>
      `${watcher.addresses(MACHINES) ?? []}` === `${addresses}` &&
      `${watcher.addresses(ENTRY) ?? []}` === `${addresses}` &&
      (watcher.addresses(NEAR) ?? []).length === 0,
    60_000,
  );
}

function startAnother(
  { cluster }: EntriesWorld,
  env: Readonly<Record<string, string>> = {},
): Promise<Daemon> {
  const args = [`--orchconfig=${cluster.files.daemonKubeconfig}`, "--clusterID=a"];
  return startDaemon({ configDir: "", args, env });
}

/** The roles of a reader, without WorkloadEntries. */
function formerRoles(options: RoleOptions): RoleObject[] {
  return readerRoles(options).map((role) =>
    role.rules === undefined ? role : {
      ...role,
      rules: role.rules.filter(({ resources }) => !resources.includes("workloadentries")),
    }
  );
}

/** Entries that come, change, are rejected, go; a daemon that does not read them, and one that may not. */
export async function remoteEntries(world: EntriesWorld): Promise<void> {
  const { near, far, daemon, other, roles } = world;
  const selector = { app: "machine" };
  await makeService(far, "machines", { selector });
  await makeService(near, "near-machines", { selector });
  await applyDefinitions(near, ["ServiceEntry"]);
  await make(near, resourceTypeOf(TABLED_KINDS.ServiceEntry), { name: "machines" }, {
    spec: {
      hosts: ["machines.test"],
      ports: [{ number: 80, name: "http", protocol: "HTTP" }],
      resolution: "STATIC",
      workloadSelector: { labels: selector },
    },
  });
  await applyDefinitions(far, ["WorkloadEntry"]);
  const type = resourceTypeOf(TABLED_KINDS.WorkloadEntry);
  for (const [name, address] of [["machine-1", "10.2.9.1"], ["machine-2", "10.2.9.2"]]) {
    await make(far, type, { name: name! }, { spec: { address, labels: selector } });
  }
  using watcher = watchEndpoints(daemon.xds, ALL);
  await has(watcher, ["10.2.9.1:80", "10.2.9.2:80"]);
  const second = { namespace: "default", name: "machine-2" };
  await mergePatch(far, type, second, { spec: { address: "10.2.9.3" } });
  await has(watcher, ["10.2.9.1:80", "10.2.9.3:80"]);
  await mergePatch(far, type, second, { spec: { address: "no address" } });
  await daemon.program.printed(/rejected: cluster\/b.*WorkloadEntry default\/machine-2/);
  await deleteObject(far, type, second);
  await has(watcher, ["10.2.9.1:80"]);
  await withoutEntries(world);
  await grantRoles(other, roles, formerRoles);
  await using refused = await startAnother(world);
  await refused.program.printed(
    /WorkloadEntries of a remote cluster cannot be read.*b.*cannot list/,
  );
  using late = watchEndpoints(refused.xds, ALL);
  await has(late, []);
  await grantRoles(other, roles, readerRoles);
  await has(late, ["10.2.9.1:80"]);
  await deleteObject(far, types.SERVICE, { namespace: "default", name: "machines" });
  await eventually("no Service", () => (watcher.addresses(MACHINES) ?? []).length === 0);
  assert.deepEqual(watcher.addresses(ENTRY), ["10.2.9.1:80"]);
  await deleteObject(near, types.SERVICE, { namespace: "default", name: "near-machines" });
}

async function withoutEntries(world: EntriesWorld): Promise<void> {
  await using without = await startAnother(world, {
    PILOT_ENABLE_CROSS_CLUSTER_WORKLOAD_ENTRY: "false",
  });
  using watcher = watchEndpoints(without.xds, ALL);
  await eventually("a response", () => ALL.every((name) => watcher.addresses(name) !== undefined));
  await has(watcher, []);
}
