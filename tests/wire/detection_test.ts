/**
 * Protocol detection in a real Envoy with the inbound listener of the golden files. Traffic is not
 * captured, so the listener is bound to the ports.
 */
import assert from "node:assert/strict";
import type { JsonObject, JsonValue } from "../../lib/kit/proto/mod.ts";
import { eventually, freePort } from "../../scripts/harness/mod.ts";
import { envoyPath } from "../../scripts/tools.ts";

const GOLDEN = new URL(
  "../../lib/mesh/envoy/listeners/testdata/virtual_inbound_detect.golden.json",
  import.meta.url,
);

/** Ports of the golden file: one whose protocol is detected, one on which the server speaks first. */
const DETECTED = 8080;
const SERVER_FIRST = 3306;

const GREETING = "I speak first\n";

type Ports = ReadonlyMap<number, number>;

/** The listener of the golden file, bound to one of its own ports, with free ports for those it names and detection that never gives up. */
function listener(golden: string, ports: Ports, bound: number): JsonObject {
  const found = JSON.parse(golden, (key, value) => {
    if (key === "listenerFiltersTimeout") return "0s";
    if (key === "destinationPort" || key === "start") return ports.get(value) ?? value;
    if (key === "end") return (ports.get(value - 1) ?? value - 1) + 1;
    return value;
  });
  const socketAddress = { address: "127.0.0.1", portValue: ports.get(bound)! };
  return { ...found, name: `${bound}`, address: { socketAddress } };
}

function cluster(port: number, backend: number): JsonValue {
  const name = `inbound|${port}||`;
  const address = { socketAddress: { address: "127.0.0.1", portValue: backend } };
  const endpoints = [{ lbEndpoints: [{ endpoint: { address } }] }];
  return {
    name,
    type: "STATIC",
    connectTimeout: "1s",
    loadAssignment: { clusterName: name, endpoints },
  };
}

/** A server for one exchange a connection; `greet` is sent before anything is read. */
function serve(port: number, greet: string, answer: (got: string) => string): Deno.Listener {
  const server = Deno.listen({ hostname: "127.0.0.1", port });
  (async () => {
    for await (const conn of server) {
      if (greet !== "") await write(conn, greet);
      else await write(conn, answer(await read(conn)));
      conn.close();
    }
  })();
  return server;
}

async function read(conn: Deno.Conn): Promise<string> {
  const buffer = new Uint8Array(1024);
  const n = await conn.read(buffer) ?? 0;
  return new TextDecoder("latin1").decode(buffer.subarray(0, n));
}

async function write(conn: Deno.Conn, text: string): Promise<void> {
  await conn.write(Uint8Array.from(text, (c) => c.charCodeAt(0)));
}

async function exchange(port: number, text: string): Promise<string> {
  using conn = await eventually(
    `somebody listens on ${port}`,
    () => Deno.connect({ hostname: "127.0.0.1", port }),
  );
  if (text !== "") await write(conn, text);
  return await read(conn);
}

Deno.test("an inbound listener detects the protocol where it is not declared, and there alone", async (t) => {
  const ports: Ports = new Map([DETECTED, SERVER_FIRST].map((port) => [port, freePort()]));
  const [echo, first] = [freePort(), freePort()];
  const golden = await Deno.readTextFile(GOLDEN);
  const file = await Deno.makeTempFile({ suffix: ".json" });
  const bootstrap = {
    node: { id: "a", cluster: "a" },
    staticResources: {
      clusters: [cluster(DETECTED, echo), cluster(SERVER_FIRST, first)],
      listeners: [DETECTED, SERVER_FIRST].map((port) => listener(golden, ports, port)),
    },
  };
  await Deno.writeTextFile(file, JSON.stringify(bootstrap));
  const ok = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
  using _echo = serve(echo, "", (got) => got.startsWith("GET") ? ok : `echo ${got}`);
  using _first = serve(first, GREETING, () => "");
  const envoy = new Deno.Command(await envoyPath(), {
    args: ["-c", file, "-l", "error", "--concurrency", "1", "--disable-hot-restart"],
    stdout: "null",
    stderr: "null",
  }).spawn();
  try {
    const detected = ports.get(DETECTED)!;
    await t.step("HTTP is routed", async () => {
      const answer = await exchange(detected, "GET / HTTP/1.1\r\nhost: a\r\n\r\n");
      assert.match(answer, /^HTTP\/1.1 200 OK\r\n/);
      assert.match(answer, /server: mesh-dataproxy/);
    });
    await t.step("other text is forwarded", async () => {
      assert.equal(await exchange(detected, "EHLO there\r\n"), "echo EHLO there\r\n");
      assert.equal(await exchange(detected, "\x00\x01\x02\x03\n"), "echo \x00\x01\x02\x03\n");
    });
    await t.step("TLS is forwarded", async () => {
      assert.equal(await exchange(detected, CLIENT_HELLO), `echo ${CLIENT_HELLO}`);
    });
    await t.step("a server that speaks first on a declared port is not waited for", async () => {
      assert.equal(await exchange(ports.get(SERVER_FIRST)!, ""), GREETING);
    });
  } finally {
    envoy.kill("SIGKILL");
    await envoy.status;
    await Deno.remove(file);
  }
});

/** A TLS 1.2 ClientHello with one cipher and no extensions. */
const CLIENT_HELLO: string = (() => {
  const random = "r".repeat(32);
  const hello = `\x03\x03${random}\x00\x00\x02\xc0\x2f\x01\x00`;
  const handshake = `\x01\x00\x00${String.fromCharCode(hello.length)}${hello}`;
  return `\x16\x03\x01\x00${String.fromCharCode(handshake.length)}${handshake}`;
})();
