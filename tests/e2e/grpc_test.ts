/** Proxyless gRPC: routes, weights, subsets, endpoints. */
import assert from "node:assert/strict";
import { freePorts, makeConfigDir, startDaemon } from "../../scripts/harness/mod.ts";
import { makeAuthority, withCertificates } from "../support/certificates.ts";
import {
  comes as expect,
  type Counts,
  type Peer,
  type PeerOptions,
  startPeer,
} from "./grpc/program.ts";

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

const comes = (client: Peer, what: string, good: (counts: Counts) => boolean, more = {}) =>
  expect(client, { ...calls, ...more }, what, good);

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

const STRICT = `apiVersion: security.mesh.io/v1
kind: PeerAuthentication
metadata: {name: default, namespace: default}
spec: {mtls: {mode: STRICT}}
`;

const MUTUAL = `apiVersion: networking.mesh.io/v1
kind: DestinationRule
metadata: {name: echo, namespace: default}
spec: {host: ${HOST}, trafficPolicy: {tls: {mode: MESH_MUTUAL}}}
`;

const DENY = `apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: no-testers, namespace: default}
spec:
  action: DENY
  rules: [{when: [{key: "request.headers[who]", values: [tester]}]}]
`;

Deno.test(withCertificates(
  "gRPC without a proxy: mutual TLS and access control in servers of the library",
  async () => {
    await using config = await makeConfigDir();
    const dir = await Deno.makeTempDir();
    const authority = await makeAuthority(dir, "ca");
    const issued = await authority.issue("peer", ["spiffe://cluster.local/ns/default/sa/peer"]);
    const certificate = { chain: issued.cert, key: issued.key, root: authority.cert };
    const [port = 0] = freePorts(1);
    await config.write("echo.yaml", serviceEntry([port]));
    await config.write("strict.yaml", STRICT);
    await config.write("mutual.yaml", MUTUAL);
    await using daemon = await startDaemon({ configDir: config.path });
    const options = { xds: daemon.xds, namespace: "default", ip: "127.0.0.1" };
    await using _server = await startPeer(
      { ...options, certificate },
      ["server", "v1", `0.0.0.0:${port}`, "mesh"],
    );
    await using member = await startPeer({ ...options, certificate }, ["client"]);
    await comes(member, "a member to be answered", ({ v1 }) => v1 === 20, { mesh: true });
    await using stranger = await startPeer(options, ["client"]);
    await comes(
      stranger,
      "one without a certificate to be refused",
      (counts) => counts.UNAVAILABLE === 20,
      { target: `dns:127.0.0.1:${port}` },
    );

    await config.write("deny.yaml", DENY);
    const headers = { who: "tester" };
    await comes(member, "a tester to be denied", (counts) => counts.PERMISSION_DENIED === 20, {
      mesh: true,
      headers,
    });
    await comes(member, "others to be answered", ({ v1 }) => v1 === 20, { mesh: true });
    await Deno.remove(dir, { recursive: true });
  },
));
