/** Events of pods whose Envoy exited, written by a daemon with its roles alone. */
import assert from "node:assert/strict";
import { eventually, startAgent, startDaemon } from "../../scripts/harness/mod.ts";
import { envoyPath } from "../../scripts/tools.ts";
import { applyDefinitions } from "../../scripts/crds.ts";
import { adminClient, clusterTest } from "../support/cluster.ts";
import { createAccounts } from "../support/service_accounts.ts";

interface EventItem {
  readonly reason: string;
  readonly message: string;
  readonly count: number;
  readonly involvedObject: { readonly kind: string; readonly name: string; readonly uid: string };
}

const NAMESPACE = "shop";

clusterTest("an Envoy that exits again and again is one Event of its pod", async (cluster) => {
  await using stack = new AsyncDisposableStack();
  using client = await adminClient(cluster);
  await applyDefinitions(client);
  const create = <T>(path: string, body: unknown) => client.json<T>({ method: "POST", path, body });
  await createAccounts(client, [`${NAMESPACE}/default`]);
  const pod = await create<{ readonly metadata: { readonly uid: string } }>(
    `/api/v1/namespaces/${NAMESPACE}/pods`,
    {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "web", namespace: NAMESPACE },
      spec: { containers: [{ name: "web", image: "none" }] },
    },
  );
  const daemon = stack.use(
    await startDaemon({
      configDir: "",
      args: [`--orchconfig=${cluster.files.daemonKubeconfig}`],
    }),
  );
  const dir = await Deno.makeTempDir({ prefix: "mesh-events-" });
  stack.defer(() => Deno.remove(dir, { recursive: true }));
  await Deno.writeTextFile(`${dir}/wrong.json`, '{"admin": {"address": 1}}');
  const exit = async (name: string) => {
    await using agent = await startAgent({
      role: "sidecar",
      name,
      namespace: NAMESPACE,
      ip: "127.0.7.9",
      xds: daemon.xds,
      envoy: await envoyPath(),
      dir,
      noWait: true,
      env: { MESH_BOOTSTRAP_OVERRIDE: `${dir}/wrong.json` },
    });
    await agent.program.printed("the proxy ended");
    await agent.program.status;
  };
  const events = async () => {
    const { items } = await client.json<{ readonly items: readonly EventItem[] }>({
      path: `/api/v1/namespaces/${NAMESPACE}/events`,
    });
    return items.filter(({ reason }) => reason === "EnvoyExited");
  };
  // A machine outside the cluster has no pod, and gets no Event.
  await exit("machine");
  await exit("web");
  await eventually("the Event", async () => (await events()).length > 0);
  await exit("web");
  await eventually("its count", async () => (await events())[0]?.count === 2);
  const [event, ...others] = await events();
  assert.deepEqual(others, []);
  assert.deepEqual(
    [event?.involvedObject.kind, event?.involvedObject.name, event?.involvedObject.uid],
    ["Pod", "web", pod.metadata.uid],
  );
  assert.equal(event?.message, "Envoy exited with exit status 1, as its agent reports");
  assert.doesNotMatch(daemon.program.output(), /an Event cannot be written/);
});
