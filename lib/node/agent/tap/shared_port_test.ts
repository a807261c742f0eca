import assert from "node:assert/strict";
import { eventually } from "../../../../scripts/harness/mod.ts";
import { sharePort } from "./shared_port.ts";

const PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/** A server that answers each connection with its name and the bytes it got, until the client ends. */
function namedServer(name: string): Deno.TcpListener {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  void (async () => {
    for await (const connection of listener) {
      void (async () => {
        await connection.write(new TextEncoder().encode(`${name}:`));
        await connection.readable.pipeTo(connection.writable).catch(() => {});
      })();
    }
  })();
  return listener;
}

async function withPort(run: (port: number) => Promise<void>): Promise<void> {
  const [one, two] = [namedServer("h1"), namedServer("h2")];
  const shared = sharePort({
    hostname: "127.0.0.1",
    port: 0,
    http1: () => Deno.connect({ ...one.addr as Deno.NetAddr, transport: "tcp" }),
    http2: () => Deno.connect({ ...two.addr as Deno.NetAddr, transport: "tcp" }),
  });
  try {
    await run(shared.port);
  } finally {
    await shared.stop();
    one.close();
    two.close();
  }
}

async function exchange(port: number, pieces: readonly string[]): Promise<string> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  connection.setNoDelay();
  for (const piece of pieces) await connection.write(new TextEncoder().encode(piece));
  await connection.closeWrite();
  let text = "";
  const buffer = new Uint8Array(1024);
  for (let n = await connection.read(buffer); n !== null; n = await connection.read(buffer)) {
    text += new TextDecoder().decode(buffer.subarray(0, n));
  }
  return text;
}

Deno.test("the first bytes choose the server, in any pieces", () =>
  withPort(async (port) => {
    const get = "GET / HTTP/1.1\r\n\r\n";
    assert.equal(await exchange(port, [get]), `h1:${get}`);
    assert.equal(await exchange(port, ["P", "OST /"]), "h1:POST /");
    assert.equal(await exchange(port, [`${PREFACE}rest`]), `h2:${PREFACE}rest`);
    assert.equal(await exchange(port, [...PREFACE, "rest"]), `h2:${PREFACE}rest`);
    assert.equal(
      await exchange(port, [`${PREFACE.slice(0, 19)}xxxx`]),
      "h1:PRI * HTTP/2.0\r\n\r\nSxxxx",
    );
  }));

Deno.test("idle connections are bounded, and end with the port", () =>
  withPort(async (port) => {
    const open = await Promise.all(
      Array.from({ length: 40 }, () => Deno.connect({ hostname: "127.0.0.1", port })),
    );
    let closed = 0;
    const reads = open.map(async (one) => {
      const end = await one.read(new Uint8Array(1)).catch(() => null);
      if (end === null) closed++;
    });
    await eventually("connections beyond the bound to be closed", () => closed >= 8);
    assert.equal(closed, 8);
    for (const one of open) one.close();
    await Promise.all(reads);
    await eventually("places for others", async () => {
      return await exchange(port, ["GET"]).catch(() => "") === "h1:GET";
    });
  }));
