/**
 * A daemon whose user has no roles at first; the other tests of this folder run with its roles alone.
 *
 * @module
 */
import assert from "node:assert/strict";
import { daemonRoles, defaultRoleOptions, type RoleOptions } from "../../lib/cluster/roles/mod.ts";
import { useEnvironment } from "../../lib/kit/env/mod.ts";
import { eventually, startDaemon } from "../../scripts/harness/mod.ts";
import { clusterTest, grantRoles } from "../support/cluster.ts";

/** The user of the daemon. */
const USER = "system:serviceaccount:mesh-system:meshd";

/** Requests that the roles of a daemon at default settings allow, or not. */
const RIGHTS: Readonly<Record<string, boolean>> = {
  "patch configmaps/mesh-ca-root-cert -n default": true,
  "create configmaps/mesh-ca-root-cert -n default": true,
  "patch configmaps/other -n default": false,
  "create configmaps -n default": false,
  "delete configmaps/mesh-ca-root-cert -n default": false,
  "list configmaps -n mesh-system": true,
  // Gateways of the Gateway API refer to ConfigMaps with authorities, in any namespace.
  "list configmaps -n default": true,
  "get configmaps/other -n default": false,
  "get secrets/mesh-ca-secret -n mesh-system": true,
  "update secrets/cacerts -n mesh-system": true,
  "update secrets/other -n mesh-system": false,
  "get secrets/cacerts -n default": false,
  "update secrets/cacerts -n default": false,
  "patch nodes": false,
  "list nodes": true,
  "create events -n default": true,
  "delete events -n default": false,
  "delete pods": false,
  "create pods -n default": false,
  "create serviceexports.multicluster.x-k8s.io -n default": false,
  "update leases -n mesh-system": true,
  "update leases -n default": false,
};

Deno.test("rights of features are granted only with their features", () => {
  const rights = (more: Partial<RoleOptions>) =>
    daemonRoles({ ...defaultRoleOptions(), ...more }).flatMap(({ rules = [] }) => rules)
      .flatMap(({ resources, verbs }) =>
        resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource}`))
      );
  const plain = rights({});
  assert.ok(!plain.some((one) => one === "patch nodes" || one === "create serviceexports"));
  assert.ok(rights({ untaint: true }).includes("patch nodes"));
  assert.ok(rights({ autoExport: true }).includes("create serviceexports"));
  assert.ok(plain.includes("create deployments"));
  assert.ok(!rights({ deployGateways: false }).includes("create deployments"));
  using _ = useEnvironment({
    PILOT_ENABLE_NODE_UNTAINT_CONTROLLERS: "true",
    ENABLE_MCS_AUTO_EXPORT: "true",
  });
  assert.ok(rights({}).includes("patch nodes"));
  assert.ok(rights({}).includes("create serviceexports"));
});

clusterTest(
  "a daemon without a right waits and names it, and starts when it has its roles",
  async (cluster) => {
    await using daemon = await startDaemon({
      configDir: "",
      args: [`--orchconfig=${cluster.files.daemonKubeconfig}`],
      noWait: true,
    });
    await daemon.program.printed(/cannot list resource \S*configmaps/);
    const refused = await fetch(`${daemon.http}/ready`);
    assert.equal(refused.status, 503);
    assert.match(
      await refused.text(),
      /User "system:serviceaccount:mesh-system:meshd" cannot list/,
    );
    await grantRoles(cluster);
    for (const [request, allowed] of Object.entries(RIGHTS)) {
      const answer = await cluster.run(["auth", "can-i", ...request.split(" "), `--as=${USER}`]);
      const said = answer.text.split("\n").find((line) => line === "yes" || line === "no");
      assert.equal(said, allowed ? "yes" : "no", request);
    }
    await eventually("a ready daemon", async () => {
      const answer = await fetch(`${daemon.http}/ready`).catch(() => undefined);
      await answer?.body?.cancel();
      return answer?.status === 200;
    });
  },
  { roles: "none" },
);
