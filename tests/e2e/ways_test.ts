/**
 * Dynamic DNS and tunnels, by traffic through real Envoys.
 *
 * @module
 */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { connect, type Socket } from "node:net";
import { once } from "node:events";
import {
  askTcp,
  call,
  eventually,
  freePorts,
  startBackend,
  startTcpBackend,
} from "../../scripts/harness/mod.ts";
import { withCertificates } from "../support/certificates.ts";
import { documents, endpoint, manifest, serviceEntry } from "../support/manifest.ts";
import { assertNothingRejected, sidecars, startWorld } from "../support/world.ts";
import { askTls, makePki, startTlsBackend } from "./tls/bench.ts";

/** Names below `localhost` are this machine's, wherever they are looked up. */
const PATTERN = "*.found.localhost";

/** A service as any other, so that there is something of every type to refuse. */
function known(number: number): string {
  return serviceEntry("known", ["known.test"], { number, protocol: "HTTP" }, [endpoint(number)]);
}

Deno.test(withCertificates("names are looked up as they are asked for", async (t) => {
  await using stack = new AsyncDisposableStack();
  const dir = await Deno.makeTempDir({ prefix: "mesh-names-" });
  stack.defer(() => Deno.remove(dir, { recursive: true }));
  const pki = await makePki(dir);
  const plain = stack.use(startBackend("plain"));
  const secure = stack.use(await startTlsBackend("secure", pki.backend));
  const dynamic = (name: string, host: string, port: number, protocol: string): string =>
    manifest("ServiceEntry", name, {
      hosts: [host],
      location: "MESH_EXTERNAL",
      resolution: "DYNAMIC_DNS",
      ports: [{ number: port, protocol, name: "main" }],
    });
  const meshFile = `${dir}/mesh.yaml`;
  const policy = (mode: string): Promise<void> =>
    Deno.writeTextFile(meshFile, `outboundTrafficPolicy: {mode: ${mode}}\n`);
  await policy("REGISTRY_ONLY");
  const world = stack.use(
    await startWorld({
      files: {
        "all.yaml": documents(
          sidecars([
            { number: plain.port, protocol: "HTTP" },
            { number: secure.port, protocol: "TLS" },
          ]),
          known(plain.port),
          dynamic("plain", PATTERN, plain.port, "HTTP"),
          dynamic("secure", "*.pass.localhost", secure.port, "TLS"),
        ),
      },
      daemon: { args: [`--meshConfig=${meshFile}`] },
    }),
  );
  const ask = (address: string, name: string): Promise<number> =>
    call(`http://${address}:${plain.port}/`, { host: `${name}:${plain.port}` })
      .then(({ status, echo }) => status === 200 && echo?.backend === "plain" ? 200 : status);

  for (const { address, transport } of world.testProxies) {
    await t.step(`requests over ${transport}`, async () => {
      await eventually(
        "an answer",
        async () => await ask(address, "one.found.localhost") === 200,
      );
      assert.equal(await ask(address, "other.localhost"), 502, "no host of the entry");
    });
    await t.step(`TLS over ${transport}`, async () => {
      const sni = "two.pass.localhost";
      const answer = await eventually(
        "an answer",
        () => askTls(address, secure.port, "ping\n", { sni }),
      );
      assert.match(answer.text, /^secure pong/);
      assert.equal(secure.asked.at(-1), sni);
    });
  }
  await t.step("whatever host a request names, where the mesh says so", async () => {
    await policy("ALLOW_ANY_DYNAMIC_DNS");
    for (const { address } of world.testProxies) {
      await eventually("an answer", async () => await ask(address, "other.localhost") === 200);
    }
  });
  await t.step("no update was refused", () => assertNothingRejected(world));
}));

/** A proxy that takes CONNECT requests, and tells which. */
async function startTunnel(): Promise<
  { readonly port: number; readonly asked: readonly string[] } & AsyncDisposable
> {
  const asked: string[] = [];
  const open = new Set<Socket>();
  const server = createServer();
  server.on("connect", (request, socket: Socket, head: Uint8Array) => {
    asked.push(`${request.method} ${request.url}`);
    const to = new URL(`tcp://${request.url}`);
    const beyond = connect({ host: to.hostname, port: Number(to.port) }, () => {
      socket.write("HTTP/1.1 200 Connected\r\n\r\n");
      beyond.write(head);
      socket.pipe(beyond).pipe(socket);
    });
    for (const end of [socket, beyond]) {
      open.add(end);
      end.on("error", () => end.destroy());
      end.on("close", () => open.delete(end));
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as { port: number }).port,
    asked,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, "close");
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

Deno.test("connections go through tunnels", async (t) => {
  await using target = await startTcpBackend("target");
  await using tunnel = await startTunnel();
  const [port = 0, http = 0] = freePorts(2);
  const rule = (targetPort: number): string =>
    manifest("DestinationRule", "proxy", {
      host: "proxy.test",
      trafficPolicy: { tunnel: { targetHost: "127.0.0.1", targetPort } },
    });
  const service = documents(
    sidecars([{ number: port, protocol: "TCP" }, { number: http, protocol: "HTTP" }]),
    known(http),
    serviceEntry("proxy", ["proxy.test"], { number: port, protocol: "TCP" }, [
      endpoint(tunnel.port),
    ]),
  );
  await using world = await startWorld({
    files: { "all.yaml": documents(service, rule(target.port)) },
  });
  for (const { address, transport } of world.testProxies) {
    await t.step(`over ${transport}`, async () => {
      await eventually("an answer", async () => await askTcp(address, port) === "target");
      assert.equal(tunnel.asked.at(-1), `CONNECT 127.0.0.1:${target.port}`);
    });
  }
  await t.step("another target takes the place of the first", async () => {
    await using other = await startTcpBackend("other");
    await world.config.write("all.yaml", documents(service, rule(other.port)));
    for (const { address } of world.testProxies) {
      await eventually("an answer", async () => await askTcp(address, port) === "other");
    }
    assert.equal(tunnel.asked.at(-1), `CONNECT 127.0.0.1:${other.port}`);
  });
  await t.step("no update was refused", () => assertNothingRejected(world));
});
