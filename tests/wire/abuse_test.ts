/**
 * A daemon does not disclose keys in views, or views to other sites' pages; and which VirtualService
 * may route a host.
 *
 * @module
 */
import assert from "node:assert/strict";
import { create, encode } from "../../lib/kit/proto/mod.ts";
import { openStream } from "../../lib/kit/rpc/mod.ts";
import { type Daemon, eventually, makeConfigDir, startDaemon } from "../../scripts/harness/mod.ts";
import { makeAuthority, withCertificates } from "../support/certificates.ts";
import { connectJudging } from "../support/judging_client.ts";
import { documents, endpoint, manifest, serviceEntry, to } from "../support/manifest.ts";
import { DeltaDiscoveryRequestSchema } from "#envoy/service/discovery/v3/discovery_pb.ts";

const SECRETS = "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret";
const GATEWAY = manifest("Gateway", "edge", {
  selector: { app: "edge" },
  servers: [{
    port: { number: 8443, name: "https", protocol: "HTTPS" },
    hosts: ["*.test"],
    tls: { mode: "SIMPLE", credentialName: "site" },
  }],
});

/** Writes a new certificate with its key as the credential `test/site`; the key. */
async function issue(root: string, authority: { issue: Issue }, name: string): Promise<string> {
  const { cert, key } = await authority.issue(name, ["a.test"]);
  const text = await Deno.readTextFile(key);
  await Deno.mkdir(`${root}/test/site`, { recursive: true });
  await Deno.copyFile(cert, `${root}/test/site/tls.crt`);
  await Deno.writeTextFile(`${root}/test/site/tls.key`, text);
  return text;
}
type Issue = Awaited<ReturnType<typeof makeAuthority>>["issue"];

/** Lines of a key that say something. */
function linesOf(pem: string): string[] {
  return pem.split("\n").filter((line) => line.length > 20 && !line.startsWith("-"));
}

/** Every view, with the queries that show most. */
async function viewsOf(daemon: Daemon, proxy: string, revision: number): Promise<string[]> {
  const paths = await daemon.debug<string[]>("list");
  const name = encodeURIComponent("kubernetes://site");
  return [
    ...paths.map((path) => path.slice("/debug/".length)),
    ...paths.map((path) => `${path.slice("/debug/".length)}?proxyID=${proxy}`),
    "graphz?values=true",
    `config_dump?proxyID=${proxy}&why=true&types=${SECRETS}`,
    `why?proxyID=${proxy}&type=secret&name=${name}`,
    `proxies/${proxy}`,
    `proxies/${proxy}/sds/${name}`,
    `history?proxyID=${proxy}&from=${revision - 1}&to=${revision}`,
  ];
}

Deno.test(withCertificates("no view of a daemon shows a key that it serves", async () => {
  await using config = await makeConfigDir();
  await using credentials = await makeConfigDir();
  await using store = await makeConfigDir();
  const authority = await makeAuthority(store.path);
  const first = await issue(credentials.path, authority, "first");
  await config.write("a.yaml", GATEWAY);
  await using daemon = await startDaemon({
    configDir: config.path,
    env: { MESH_CREDENTIAL_DIR: credentials.path, MESH_CREDENTIAL_ANONYMOUS: "true" },
  });
  const stream = openStream({
    target: daemon.xds,
    path: "/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources",
  });
  const id = "router~10.0.0.7~edge.test~test.svc.cluster.local";
  stream.send(encode(
    DeltaDiscoveryRequestSchema,
    create(DeltaDiscoveryRequestSchema, {
      node: { id, metadata: { LABELS: { app: "edge" } } },
      typeUrl: SECRETS,
      resourceNamesSubscribe: ["kubernetes://site"],
    }),
  ));
  const messages = stream.messages[Symbol.asyncIterator]();
  const served = async (): Promise<string> =>
    new TextDecoder().decode((await messages.next()).value);
  try {
    assert.ok((await served()).includes(linesOf(first)[0]!), "the gateway has it");
    const second = await issue(credentials.path, authority, "second");
    assert.ok((await served()).includes(linesOf(second)[0]!), "and the one after it");
    const [{ revision }] = await daemon.debug<[{ revision: number }]>("history");
    for (const view of await viewsOf(daemon, "edge.test", revision)) {
      for (const accept of ["text/html", "application/json"]) {
        const answer = await fetch(`${daemon.http}/debug/${view}`, { headers: { accept } });
        const body = await answer.text();
        assert.ok(answer.status < 500, view);
        for (const line of [...linesOf(first), ...linesOf(second)]) {
          assert.ok(!body.includes(line), `${view} shows a line of a key`);
        }
      }
    }
    const dump = await (await fetch(`${daemon.http}/debug/graphz?values=true`)).text();
    assert.match(dump, /"Credential": \{\s*"test\/site": \{[^}]*"value": "\[redacted\]"/);
  } finally {
    stream.close();
  }
}));

/** Status of a path that is requested with a foreign host name. */
async function statusAs(host: string, base: string, path: string): Promise<string> {
  const { hostname, port } = new URL(base);
  using connection = await Deno.connect({ hostname, port: Number(port) });
  const lines = [`GET ${path} HTTP/1.1`, `Host: ${host}`, "Connection: close", "", ""];
  await connection.write(new TextEncoder().encode(lines.join("\r\n")));
  const head = new Uint8Array(12);
  return new TextDecoder().decode(head.subarray(0, await connection.read(head) ?? 0));
}

Deno.test("no page of another site reads a view, by whatever name", async () => {
  await using config = await makeConfigDir();
  await using daemon = await startDaemon({ configDir: config.path });
  const paths = await daemon.debug<string[]>("list");
  assert.ok(paths.length > 40);
  for (const base of [daemon.http, daemon.monitoring]) {
    for (const path of ["/debug", ...paths, "/debug/proxies/a.b", "/debug/objects/A/b/c"]) {
      assert.equal(await statusAs("evil.example", base, path), "HTTP/1.1 403", path);
    }
    const local = await statusAs(`localhost:${new URL(base).port}`, base, "/debug/syncz");
    assert.equal(local, "HTTP/1.1 200");
  }
});

Deno.test("a host of another namespace is routed only for clients that the rule is exported to", async () => {
  await using config = await makeConfigDir();
  const port = { number: 80, protocol: "HTTP" };
  const thief = manifest("VirtualService", "thief", {
    hosts: ["shop.test"],
    exportTo: ["."],
    http: [to("elsewhere.test")],
  }).replace("namespace: test", "namespace: thieves");
  await config.write(
    "a.yaml",
    documents(
      serviceEntry("shop", ["shop.test"], port, [endpoint(1)]),
      serviceEntry("elsewhere", ["elsewhere.test"], port, [endpoint(2)]),
      thief,
    ),
  );
  await using daemon = await startDaemon({ configDir: config.path });
  await using proxy = connectJudging(daemon.xds, { name: "a", ip: "10.0.0.9", routes: ["80"] });
  await eventually("the route", () => Promise.resolve(proxy.held.has("80")));
  const why = await daemon.debug<{ objects: { name: string }[] }>(
    "why?proxyID=a.test&type=route&name=80",
  );
  assert.deepEqual(why.objects.map(({ name }) => name), ["elsewhere", "shop"]);
});
