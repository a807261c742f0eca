/**
 * An agent requests ProxyConfigs from a real daemon before it starts its proxy.
 *
 * @module
 */
import assert from "node:assert/strict";
import { freePort, makeConfigDir, startAgent, startDaemon } from "../../scripts/harness/mod.ts";
import { envoyPath } from "../../scripts/tools.ts";
import { servedConfig } from "../../lib/node/agent/mod.ts";

const node = (app: string) => ({
  id: "sidecar~127.0.0.1~app.test~test.svc.cluster.local",
  cluster: "app.test",
  locality: {},
  metadata: { NAMESPACE: "test", LABELS: { app } },
});

const CONFIG = `apiVersion: networking.mesh.io/v1beta1
kind: ProxyConfig
metadata: {name: all, namespace: mesh-system}
spec: {environmentVariables: {PLACE: here, KIND: any}}
---
apiVersion: networking.mesh.io/v1beta1
kind: ProxyConfig
metadata: {name: server, namespace: test}
spec:
  selector: {matchLabels: {app: server}}
  concurrency: 3
  environmentVariables: {KIND: server}
`;

Deno.test("an agent gets workers and variables of its proxy from the daemon", async () => {
  await using config = await makeConfigDir();
  await config.write("a.yaml", CONFIG);
  await using daemon = await startDaemon({ configDir: config.path });
  const server = await servedConfig(daemon.xds, node("server"));
  assert.deepEqual([server?.concurrency, server?.proxyMetadata], [3, {
    PLACE: "here",
    KIND: "server",
  }]);
  const other = await servedConfig(daemon.xds, node("other"));
  assert.deepEqual([other?.concurrency, other?.proxyMetadata], [undefined, {
    PLACE: "here",
    KIND: "any",
  }]);
});

Deno.test("PROXY_CONFIG_XDS_AGENT: the agent starts its proxy with the received settings", async () => {
  await using config = await makeConfigDir();
  await config.write(
    "a.yaml",
    CONFIG.replace("KIND: server", "MESH_META_KIND: server"),
  );
  await using daemon = await startDaemon({ configDir: config.path });
  await using folder = await makeConfigDir();
  await using agent = await startAgent({
    role: "sidecar",
    name: "app",
    namespace: "test",
    ip: "127.0.0.1",
    xds: daemon.xds,
    envoy: await envoyPath(),
    dir: folder.path,
    labels: { app: "server" },
    env: { PROXY_CONFIG_XDS_AGENT: "true" },
  });
  const { command_line_options: options, node } = JSON.parse(
    await (await fetch(`${agent.admin}/server_info`)).text(),
  );
  assert.equal(options.concurrency, 3);
  assert.equal(node.metadata.KIND, "server");
});

Deno.test("an agent starts without the daemon's settings when the daemon is unreachable", async () => {
  assert.equal(
    await servedConfig(`127.0.0.1:${freePort()}`, node("server"), undefined, 50),
    undefined,
  );
});
