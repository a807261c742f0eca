/**
 * Programs that speak xDS themselves, by the gRPC library: routes, weights, subsets, endpoints.
 */
import assert from "node:assert/strict";
import { eventually, freePorts, makeConfigDir, startDaemon } from "../../scripts/harness/mod.ts";
import { type Peer, type PeerOptions, startPeer, type Tally } from "./grpc/program.ts";

const HOST = "echo.example";

function serviceEntry(ports: readonly number[]): string {
  const endpoints = ports.map((port, i) =>
    `  - {address: 127.0.0.1, ports: {grpc: ${port}}, labels: {version: v${i + 1}}}`
  ).join("\n");
  return `apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: echo, namespace: default}
spec:
  hosts: [${HOST}]
  location: MESH_INTERNAL
  resolution: STATIC
  ports: [{number: 7070, name: grpc, protocol: GRPC}]
  endpoints:
${endpoints}
`;
}

const SUBSETS = `apiVersion: networking.mesh.io/v1
kind: DestinationRule
metadata: {name: echo, namespace: default}
spec:
  host: ${HOST}
  subsets:
  - {name: v1, labels: {version: v1}}
  - {name: v2, labels: {version: v2}}
`;

const ROUTES = `apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: echo, namespace: default}
spec:
  hosts: [${HOST}]
  http:
  - match: [{headers: {who: {exact: tester}}}]
    route: [{destination: {host: ${HOST}, subset: v2}}]
  - route: [{destination: {host: ${HOST}, subset: v1}}]
`;

const calls = { target: `xds:///${HOST}:7070`, count: 20 };

/** Calls until what came is as expected; configuration travels. */
async function comes(client: Peer, what: string, good: (tally: Tally) => boolean, more = {}) {
  let last: Tally = {};
  await eventually(what, async () => {
    last = await client.call({ ...calls, ...more });
    return good(last);
  }, 20_000).catch((e) => {
    throw new Error(`${what}: ${JSON.stringify(last)}\n${client.output()}`, { cause: e });
  });
}

Deno.test("gRPC without a proxy: endpoints, subsets, routes and their changes reach a client of the library", async () => {
  await using config = await makeConfigDir();
  const ports = freePorts(3);
  await config.write("echo.yaml", serviceEntry(ports.slice(0, 2)));
  await using daemon = await startDaemon({ configDir: config.path });
  const options: PeerOptions = { xds: daemon.xds, namespace: "default", ip: "127.0.0.1" };
  const servers = await Promise.all(
    ports.map((port, i) => startPeer(options, ["server", `v${i + 1}`, `127.0.0.1:${port}`])),
  );
  try {
    await using client = await startPeer(options, ["client"]);
    await comes(client, "both endpoints to answer", ({ v1, v2 }) => v1 === 10 && v2 === 10);

    await config.write("rules.yaml", `${SUBSETS}---\n${ROUTES}`);
    await comes(client, "the default route to lead to v1", ({ v1 }) => v1 === 20);
    const headers = { who: "tester" };
    await comes(client, "the header to lead to v2", ({ v2 }) => v2 === 20, { headers });

    await config.write("echo.yaml", serviceEntry([ports[2]!, ports[1]!]));
    await comes(client, "an endpoint to be replaced", ({ v3 }) => v3 === 20);

    const proxies = await daemon.debug<{ proxy: string; listener_status: string }[]>("syncz");
    assert.deepEqual(
      proxies.map(({ proxy, listener_status }) => [proxy, listener_status]),
      [["peer.default", "SYNCED"]],
    );
  } finally {
    for (const server of servers) await server[Symbol.asyncDispose]();
  }
});
