/**
 * Inbound ports of Sidecar resources and known protocols, by requests to a real Envoy.
 *
 * @module
 */
import assert from "node:assert/strict";
import { createServer } from "node:net";
import { once } from "node:events";
import {
  askTcp,
  eventually,
  freePorts,
  makeConfigDir,
  startAgent,
  startBackend,
  startDaemon,
  startTcpBackend,
} from "../../scripts/harness/mod.ts";
import { envoyPath } from "../../scripts/tools.ts";
import { documents, endpoint, manifest, NAMESPACE, serviceEntry } from "../support/manifest.ts";

const ADDRESS = "127.0.9.1";

/** A key-value store that says `+OK` to everything. */
async function startStore(): Promise<AsyncDisposable & { readonly port: number; heard(): string }> {
  let heard = "";
  const server = createServer((socket) => {
    socket.on("error", () => socket.destroy());
    socket.on("data", (bytes) => {
      heard += bytes.toString();
      socket.write("+OK\r\n");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as { port: number }).port,
    heard: () => heard,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, "close");
      server.close();
      await closed;
    },
  };
}

/** Says something and gives what comes back until it ends so. */
async function say(hostname: string, port: number, text: string, end: string): Promise<string> {
  using connection = await Deno.connect({ hostname, port });
  await connection.write(new TextEncoder().encode(text));
  let heard = "";
  const buffer = new Uint8Array(4096);
  while (!heard.endsWith(end)) {
    const count = await connection.read(buffer);
    if (count === null) break;
    heard += new TextDecoder().decode(buffer.subarray(0, count));
  }
  return heard;
}

Deno.test("ports that are HTTP proxies, and protocols of databases", async (t) => {
  await using stack = new AsyncDisposableStack();
  const work = await Deno.makeTempDir({ prefix: "mesh-ports-" });
  stack.defer(() => Deno.remove(work, { recursive: true }));
  const shop = stack.use(startBackend("shop"));
  const bank = stack.use(startBackend("bank"));
  const documentStore = stack.use(await startTcpBackend("documents"));
  const store = stack.use(await startStore());
  const [proxyPort = 0, documentPort = 0, storePort = 0, shopPort = 0, bankPort = 0] = freePorts(5);
  const egress = [
    { number: documentPort, protocol: "MONGO" },
    { number: storePort, protocol: "REDIS" },
  ].map((port) => ({
    port: { ...port, name: port.protocol.toLowerCase() },
    bind: ADDRESS,
    captureMode: "NONE",
    hosts: ["./*"],
  }));
  const config = stack.use(await makeConfigDir());
  await config.write(
    "all.yaml",
    documents(
      serviceEntry("shop", ["shop.test"], { number: shopPort, protocol: "HTTP" }, [
        endpoint(shop.port),
      ]),
      serviceEntry("bank", ["bank.test"], { number: bankPort, protocol: "HTTP" }, [
        endpoint(bank.port),
      ]),
      serviceEntry("documents", ["documents.test"], { number: documentPort, protocol: "MONGO" }, [
        endpoint(documentStore.port),
      ]),
      serviceEntry("store", ["store.test"], { number: storePort, protocol: "REDIS" }, [
        endpoint(store.port),
      ]),
      manifest("Sidecar", "ports", { egress: [...egress, { hosts: ["./*"] }] }),
    ),
  );
  const policy = "outboundTrafficPolicy: {mode: ALLOW_ANY_DYNAMIC_DNS}\n";
  await Deno.writeTextFile(`${work}/mesh.yaml`, policy);
  const daemon = stack.use(
    await startDaemon({
      configDir: config.path,
      args: [`--meshConfig=${work}/mesh.yaml`],
      env: { PILOT_ENABLE_KVSTORE_FILTER: "true" },
    }),
  );
  const agent = stack.use(
    await startAgent({
      role: "sidecar",
      name: "ports",
      namespace: NAMESPACE,
      ip: ADDRESS,
      xds: daemon.xds,
      envoy: await envoyPath(),
      dir: work,
      interception: "NONE",
      env: {
        MESH_META_HTTP_PROXY_PORT: `${proxyPort}`,
        MESH_META_INBOUND_LISTENER_EXACT_BALANCE: "true",
      },
    }),
  );
  const through = (url: string, host: string): Promise<string> =>
    say(
      "127.0.0.1",
      proxyPort,
      `GET ${url} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`,
      "\0",
    );

  await t.step("requests with an absolute URL are sent to its host", async () => {
    await eventually("the shop", async () => {
      const answer = await through(`http://shop.test:${shopPort}/x`, `shop.test:${shopPort}`);
      return answer.includes(`"backend":"shop"`);
    });
    const other = await through(`http://bank.test:${bankPort}/x`, `bank.test:${bankPort}`);
    assert.match(other, /"backend":"bank"/);
  });
  await t.step("CONNECT opens a tunnel to a service port of any protocol", async () => {
    const open = (to: string, then: string, end: string): Promise<string> =>
      say("127.0.0.1", proxyPort, `CONNECT ${to} HTTP/1.1\r\nhost: ${to}\r\n\r\n${then}`, end);
    const bytes = await open(`documents.test:${documentPort}`, "", "documents\n");
    assert.match(bytes, /^HTTP\/1.1 200 [^]*\r\n\r\ndocuments\n$/);
    const bankHost = `bank.test:${bankPort}`;
    const inside = `GET /x HTTP/1.1\r\nhost: ${bankHost}\r\nconnection: close\r\n\r\n`;
    assert.match(await open(bankHost, inside, "\0"), /^HTTP\/1.1 200 [^]*"backend":"bank"/);
    const looked = await open(`localhost:${documentStore.port}`, "", "documents\n");
    assert.match(looked, /^HTTP\/1.1 200 [^]*\r\n\r\ndocuments\n$/, "a name that is looked up");
    assert.match(await open("nobody.test:443", "", "\r\n\r\n"), /^HTTP\/1.1 (404|503) /);
  });
  await t.step("the document database is served as bytes", async () => {
    await eventually("the documents", async () => {
      return await askTcp(ADDRESS, documentPort) === "documents";
    });
  });
  await t.step("the key-value store is served by operations", async () => {
    // The proxy answers this one itself.
    assert.equal(await say(ADDRESS, storePort, "*1\r\n$4\r\nPING\r\n", "\r\n"), "+PONG\r\n");
    assert.equal(store.heard(), "");
    const set = "*3\r\n$3\r\nSET\r\n$1\r\na\r\n$1\r\nb\r\n";
    assert.equal(await say(ADDRESS, storePort, set, "\r\n"), "+OK\r\n");
    assert.match(store.heard().toUpperCase(), /SET/);
  });
  await t.step("no update was refused", async () => {
    const refused = await agent.stats("update_rejected$");
    assert.deepEqual(Object.values(refused).filter((count) => count !== 0), []);
  });
});
