/**
 * Messages of `meshctl` about the network plugin's state in a cluster.
 *
 * @module
 */
import assert from "node:assert/strict";
import { deleteObject, mergePatch, type OrchClient, types } from "../../../lib/kit/orch/mod.ts";
import { create, type MeshctlCluster, removePod } from "../../support/meshctl_cluster.ts";

const [SYSTEM, NODE] = ["mesh-system", "plain-node"];
const INJECTOR = { namespace: SYSTEM, name: "mesh-sidecar-injector" };
const NEEDY = { namespace: "shop", name: "needy" };
const PLUGIN = { namespace: SYSTEM, name: "mesh-cni-node-x" };
const TAINT = "cni.mesh.io/not-ready";

/** Asserts the messages while a node lacks the plugin, has it, and keeps the taint. */
export async function pluginStateIsSaid({ client, run }: MeshctlCluster): Promise<void> {
  const said = async (): Promise<string[][]> => {
    const checked = await run("x", "precheck");
    const analyzed = await run("analyze", "-n", SYSTEM);
    return [checked, analyzed].map(({ out }) => [...new Set(out.match(/MSH100[567]/g) ?? [])]);
  };
  assert.deepEqual(await said(), [[], []]);
  await create(client, types.NODE, { name: NODE }, { spec: {} });
  const values = JSON.stringify({ pilot: { cni: { enabled: true } } });
  await create(client, types.CONFIG_MAP, INJECTOR, { data: { values } });
  assert.deepEqual(await said(), [["MSH1006"], ["MSH1006"]]);
  await create(client, types.POD, {
    ...NEEDY,
    annotations: { "sidecar.mesh.io/status": "{}" },
  }, spec({ initContainers: [container("mesh-validation")] }));
  await createPlugin(client);
  const lacking = await run("x", "precheck");
  assert.match(
    lacking.out,
    /^Error \[MSH1005\] No ready pod of the network plugin is on node plain-node, where 1 pods need it: shop\/needy\. Look at /m,
  );
  assert.equal(lacking.status, 1);
  const found = await run("analyze", "-n", SYSTEM);
  assert.match(found.out, /^Error \[MSH1005\] \(Node plain-node\) No ready pod/m);
  assert.equal(found.status, 79);
  await setReady(client);
  assert.deepEqual(await said(), [[], []]);
  await mergePatch(client, types.NODE, { name: NODE }, {
    spec: { taints: [{ key: TAINT, effect: "NoSchedule" }] },
  });
  const tainted = await run("x", "precheck");
  assert.match(
    tainted.out,
    /^Warning \[MSH1007\] Node plain-node has the taint cni\.mesh\.io\/not-ready, and a ready pod .*PILOT_ENABLE_NODE_UNTAINT_CONTROLLERS=true/m,
  );
  assert.equal(tainted.status, 0);
  for (const pod of [NEEDY, PLUGIN]) await removePod(client, pod);
  await deleteObject(client, types.CONFIG_MAP, INJECTOR);
  await deleteObject(client, types.NODE, { name: NODE });
}

function container(name: string): Record<string, unknown> {
  return { name, image: `registry.test/${name}:1` };
}

function spec(more: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const own = { nodeName: NODE, serviceAccountName: "default", containers: [container("app")] };
  return { spec: { ...own, ...more } };
}

async function createPlugin(client: OrchClient): Promise<void> {
  const labels = { "k8s-app": "mesh-cni-node" };
  await create(client, types.POD, { ...PLUGIN, labels }, spec({}));
}

async function setReady(client: OrchClient): Promise<void> {
  await mergePatch(client, types.POD, { ...PLUGIN, subresource: "status" }, {
    status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
  });
}
