/**
 * Hosts of gateways that several VirtualServices route, and ports without a declared protocol behind
 * gateways, by requests to real Envoys.
 *
 * @module
 */
import assert from "node:assert/strict";
import { call, eventually, freePorts, startBackend } from "../../scripts/harness/mod.ts";
import { documents, endpoint, manifest, serviceEntry, type Spec, to } from "../support/manifest.ts";
import { addressOf, assertNothingRejected, eachTransport, startWorld } from "../support/world.ts";

/** A Gateway for each proxy, at the address of the proxy. */
function gateway(name: string, port: number): string {
  return documents(...eachTransport((transport) =>
    manifest("Gateway", `${name}-${transport}`, {
      selector: { transport, kind: "router" },
      servers: [{
        port: { number: port, name: "http", protocol: "HTTP" },
        bind: addressOf("router", transport),
        hosts: ["*"],
      }],
    })
  ));
}

function routes(name: string, gateway: string, hosts: readonly string[], ...http: Spec[]): string {
  const gateways = eachTransport((transport) => `${gateway}-${transport}`);
  return manifest("VirtualService", name, { hosts, gateways, http });
}

/** A backend that speaks HTTP/1.1 alone, and answers with the first line that it received. */
function startOldBackend(): { readonly port: number } & AsyncDisposable {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const serve = async (): Promise<void> => {
    for await (const connection of listener) {
      const bytes = new Uint8Array(4096);
      const read = await connection.read(bytes).catch(() => null) ?? 0;
      const [line = ""] = new TextDecoder().decode(bytes.subarray(0, read)).split("\r\n");
      const head = `HTTP/1.1 200 OK\r\ncontent-length: ${line.length}\r\nconnection: close\r\n\r\n`;
      await connection.write(new TextEncoder().encode(head + line)).catch(() => {});
      connection.close();
    }
  };
  const served = serve();
  return {
    port: listener.addr.port,
    [Symbol.asyncDispose]: async () => {
      listener.close();
      await served;
    },
  };
}

Deno.test("hosts and ports of gateways, by traffic", async (t) => {
  await using a = startBackend("a");
  await using b = startBackend("b");
  await using old = startOldBackend();
  const [shared, undeclared] = freePorts(2) as [number, number];
  const files = {
    "services.yaml": documents(
      serviceEntry("a", ["a.test"], { number: 80, protocol: "HTTP" }, [endpoint(a.port)]),
      serviceEntry("b", ["b.test"], { number: 80, protocol: "HTTP" }, [endpoint(b.port)]),
      serviceEntry("old", ["old.test"], { number: 81, protocol: "" }, [endpoint(old.port)]),
    ),
    "gateways.yaml": documents(gateway("shared", shared), gateway("undeclared", undeclared)),
  };
  await using world = await startWorld({ kinds: ["router"], files });

  await t.step("an earlier default route does not hide rules of others", async () => {
    const host = "shop.test";
    await world.config.write(
      "hosts.yaml",
      documents(
        routes("a-default", "shared", [host], to("a.test")),
        routes(
          "b-path",
          "shared",
          [host],
          to("b.test", undefined, {
            match: [{ uri: { prefix: "/b" } }],
          }),
        ),
        routes(
          "c-regex",
          "shared",
          [host],
          to("a.test", undefined, {
            match: [{ uri: { regex: ".*" } }],
          }),
        ),
        routes("d-path", "shared", [host], {
          match: [{ uri: { exact: "/teapot" } }],
          directResponse: { status: 418 },
        }),
      ),
    );
    for (const { address } of world.testProxies) {
      const ask = (path: string) => call(`http://${address}:${shared}${path}`, { host });
      await eventually("the last rule", async () => (await ask("/teapot")).status === 418);
      assert.equal((await ask("/b")).echo?.backend, "b");
      assert.equal((await ask("/")).echo?.backend, "a");
    }
  });

  await t.step("to a port without a protocol gateways speak HTTP/1.1", async () => {
    await world.config.write("old.yaml", routes("old", "undeclared", ["*"], to("old.test")));
    using client = Deno.createHttpClient({ http1: false, http2: true });
    for (const { address } of world.testProxies) {
      const ask = async (options: RequestInit & { client?: Deno.HttpClient }) => {
        const answer = await fetch(`http://${address}:${undeclared}/page`, options);
        return `${answer.status} ${await answer.text()}`;
      };
      await eventually("a request", async () => await ask({}) === "200 GET /page HTTP/1.1");
      assert.equal(await ask({ client }), "200 GET /page HTTP/1.1");
    }
  });

  await t.step("no update was refused", () => assertNothingRejected(world));
});
