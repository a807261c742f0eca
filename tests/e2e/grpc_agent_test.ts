/** A gRPC program that finds the mesh by the bootstrap file of its agent. */
import assert from "node:assert/strict";
import { eventually, freePort, startProgram } from "../../scripts/harness/mod.ts";
import { toYaml } from "../../lib/kit/text/mod.ts";
import { startWorld, TARGET } from "./grpc/world.ts";

Deno.test("a program reaches the daemon through its agent, by the file that the agent writes", async () => {
  await using stack = new AsyncDisposableStack();
  const world = stack.use(await startWorld({ servers: 1 }));
  const dir = await Deno.makeTempDir({ prefix: "mesh-grpc-agent-" });
  stack.defer(() => Deno.remove(dir, { recursive: true }));
  const file = `${dir}/grpc/bootstrap.json`;
  const status = freePort();
  const agent = stack.use(startProgram(["pilot-agent", "proxy"], {
    DISABLE_DATAPROXY: "true",
    GRPC_XDS_BOOTSTRAP: file,
    PROXY_CONFIG: toYaml({
      configPath: `${dir}/etc`,
      statusPort: status,
      discoveryAddress: world.xds,
      controlPlaneAuthPolicy: "NONE",
    }),
    POD_NAME: "caller",
    POD_NAMESPACE: "default",
    INSTANCE_IP: "127.0.0.9",
    MESH_METAJSON_LABELS: '{"app":"caller"}',
  }, dir));
  await eventually("the agent to be ready", async () => {
    const response = await fetch(`http://127.0.0.1:${status}/healthz/ready`);
    await response.body?.cancel();
    return response.ok;
  });
  const bootstrap = await Deno.readTextFile(file);
  const { node, xds_servers: [server] } = JSON.parse(bootstrap);
  assert.equal(server.server_uri, `unix://${dir}/etc/XDS`);
  assert.deepEqual(
    [node.metadata.GENERATOR, node.metadata.NAMESPACE, node.metadata.LABELS],
    ["grpc", "default", { app: "caller" }],
  );
  const client = stack.use(await world.client({ bootstrap }));
  assert.deepEqual(await client.call({ target: TARGET, count: 1 }), { v1: 1 });
  const metrics = await (await fetch(`http://127.0.0.1:${status}/metrics`)).text();
  assert.match(metrics, /^mesh_agent_xds_proxy_requests [1-9]/m, agent.output());
});
