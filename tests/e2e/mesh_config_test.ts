/**
 * Live changes of the mesh configuration file, by traffic.
 *
 * @module
 */
import assert from "node:assert/strict";
import { call, eventually, freePort, startBackend } from "../../scripts/harness/mod.ts";
import { documents, endpoint, manifest, serviceEntry, to } from "../support/manifest.ts";
import { problemsOf } from "../support/views.ts";
import {
  addressOf,
  assertNothingRejected,
  eachTransport,
  sidecars,
  startWorld,
  type TestProxy,
} from "../support/world.ts";

const HOST = "shop.test";
const UNKNOWN = "nobody-knows.example";

/** Configuration of each step, in order. Each step leaves the file for the next. */
const BLOCKING = "outboundTrafficPolicy: {mode: REGISTRY_ONLY}\n";
const RETRYING = "defaultHttpRetryPolicy: {attempts: 2, retryOn: 5xx, backoff: 1ms}\n";
const LOGGING = `accessLogFile: /dev/stdout
accessLogFormat: "seen %REQ(:METHOD)% %REQ(:PATH)% %RESPONSE_CODE%\\n"
`;

/** Says something and gives all that comes back until the other side ends. */
async function askRaw(hostname: string, port: number, say: string): Promise<string> {
  using connection = await Deno.connect({ hostname, port });
  await connection.write(new TextEncoder().encode(say));
  return await new Response(connection.readable).text();
}

Deno.test("the mesh configuration is followed", async (t) => {
  await using backend = startBackend("a");
  const port = freePort();
  const http = { number: port, protocol: "HTTP" };
  const files = {
    "all.yaml": documents(
      sidecars([http]),
      serviceEntry("shop", [HOST], http, [endpoint(backend.port)]),
      ...eachTransport((transport) =>
        manifest("Gateway", `edge-${transport}`, {
          selector: { transport, kind: "router" },
          servers: [{
            port: { ...http, name: "http" },
            hosts: [HOST],
            bind: addressOf("router", transport),
          }],
        })
      ),
      manifest("VirtualService", "edge", {
        hosts: [HOST],
        gateways: eachTransport((transport) => `edge-${transport}`),
        http: [to(HOST)],
      }),
    ),
  };
  const dir = await Deno.makeTempDir({ prefix: "mesh-config-file-" });
  const path = `${dir}/mesh`;
  const write = async (text: string): Promise<void> => {
    await Deno.writeTextFile(`${path}.new`, text);
    await Deno.rename(`${path}.new`, path);
  };
  await write(BLOCKING);
  const daemon = { args: [`--meshConfig=${path}`] };
  await using world = await startWorld({ kinds: ["sidecar", "router"], files, daemon });
  const [callers, gateways] = (["sidecar", "router"] as const)
    .map((kind) => world.testProxies.filter((testProxy) => testProxy.kind === kind)) as [
      TestProxy[],
      TestProxy[],
    ];
  const each = async (act: (testProxy: TestProxy) => Promise<void>): Promise<void> => {
    for (const testProxy of callers) await act(testProxy);
  };
  const ask = (
    { address }: TestProxy,
    host = HOST,
    headers: Record<string, string> = {},
    at = "/",
  ) => call(`http://${address}:${port}${at}`, { host, headers });
  const unknownIsBlocked = (blocked: boolean) =>
    each(async (testProxy) => {
      await eventually(
        `unknown hosts ${blocked ? "" : "not "}to be blocked over ${testProxy.transport}`,
        async () => (await ask(testProxy, UNKNOWN)).status === 502 === blocked,
      );
      assert.equal((await ask(testProxy)).echo?.backend, "a");
    });

  await t.step("from the start", () => unknownIsBlocked(true));
  await t.step("a changed file takes effect", async () => {
    await write("outboundTrafficPolicy: {mode: ALLOW_ANY}\n");
    await unknownIsBlocked(false);
    await write(BLOCKING);
    await unknownIsBlocked(true);
  });
  await t.step("a broken file has no effect", async () => {
    await write("outboundTrafficPolicy: {mode: PERHAPS}\n");
    const problem = await eventually(
      "the problem",
      async () => (await problemsOf(world.daemon)).problems[0],
    );
    assert.ok(problem.file.endsWith("mesh"), problem.file);
    assert.equal(problem.line, 1);
    assert.equal(problem.path, "outboundTrafficPolicy.mode");
    await unknownIsBlocked(true);
    await write(RETRYING);
    await unknownIsBlocked(false);
    await eventually(
      "no problem",
      async () => (await problemsOf(world.daemon)).problems.length === 0,
    );
  });
  await t.step("retries of services without rules", () =>
    each(async (testProxy) => {
      const key = `retried ${testProxy.transport}`;
      const headers = { "x-request-key": key, "x-backend-fail-first": "2" };
      assert.equal((await ask(testProxy, HOST, headers)).status, 200);
      assert.equal(backend.seen(key).length, 3);
    }));
  await t.step("access logs", async () => {
    await write(LOGGING);
    await each(async (testProxy) => {
      await eventually("a line in the access log", async () => {
        await ask(testProxy, HOST, {}, "/logged");
        return testProxy.agent.program.output().includes("seen GET /logged 200");
      });
    });
  });
  await t.step("connection settings of inbound listeners", async () => {
    const spaced = { a_b: "1" };
    await each(async (testProxy) => assert.equal((await ask(testProxy, HOST, spaced)).status, 200));
    await write(`defaultConfig:
  connectionSettings: {httpHeadersWithUnderscoresAction: HEADERS_WITH_UNDERSCORES_REJECT_REQUEST}
`);
    await each(async (testProxy) => {
      await eventually("the header to be refused", async () => {
        return (await ask(testProxy, HOST, spaced)).status === 400;
      });
      assert.equal((await ask(testProxy)).status, 200);
    });
  });
  await t.step("headers and metadata that proxies add", async () => {
    await each(async (testProxy) => {
      await eventually("the defaults", async () => {
        const { headers, echo } = await ask(testProxy);
        return headers["x-envoy-upstream-service-time"] !== undefined &&
          echo?.headers["x-envoy-attempt-count"] === "1";
      });
    });
    await write(`defaultConfig:
  proxyHeaders: {attemptCount: {disabled: true}, dataproxyDebugHeaders: {disabled: true}}
`);
    await each(async (testProxy) => {
      await eventually("neither attempts nor times to be told", async () => {
        const { headers, echo } = await ask(testProxy);
        return echo !== undefined && headers["x-envoy-upstream-service-time"] === undefined &&
          echo.headers["x-envoy-attempt-count"] === undefined;
      });
    });
  });
  await t.step("headers in the case they come in", async () => {
    await write("defaultConfig: {proxyHeaders: {preserveHttp1HeaderCase: true}}\n");
    for (const { address } of gateways) {
      await eventually("the backend's own case", async () => {
        const said = `GET / HTTP/1.1\r\nhost: ${HOST}\r\nconnection: close\r\n\r\n`;
        return /\r\nContent-Type:/.test(await askRaw(address, port, said));
      });
    }
  });
  await t.step("a bound of connections", async () => {
    await write("defaultConfig: {connectionSettings: {listenerConnectionLimit: 1}}\n");
    for (const { address } of gateways) {
      await eventually("a second connection to be closed", async () => {
        using held = await Deno.connect({ hostname: address, port });
        await held.write(new TextEncoder().encode(`GET / HTTP/1.1\r\nhost: ${HOST}\r\n\r\n`));
        if (await held.read(new Uint8Array(64)) === null) return false;
        const said = `GET / HTTP/1.1\r\nhost: ${HOST}\r\nconnection: close\r\n\r\n`;
        return await askRaw(address, port, said).catch(() => "") === "";
      });
    }
  });
  await t.step("proxies in front of gateways", async () => {
    await write("defaultConfig: {gatewayTopology: {numTrustedProxies: 1, proxyProtocol: {}}}\n");
    for (const { address } of gateways) {
      // The balancer says where the connection is from, the proxy before it who the client is.
      const said = await eventually("the client's address", async () => {
        const text = await askRaw(
          address,
          port,
          `PROXY TCP4 9.9.9.9 127.0.0.1 1 2\r\nGET / HTTP/1.1\r\nhost: ${HOST}\r\n` +
            "x-forwarded-for: 7.7.7.7\r\nconnection: close\r\n\r\n",
        );
        return text.includes("9.9.9.9") ? text : undefined;
      });
      assert.match(said, /"x-forwarded-for": ?"7\.7\.7\.7, ?9\.9\.9\.9"/);
      assert.match(said, /"x-envoy-external-address": ?"7\.7\.7\.7"/);
    }
  });
  await t.step("no update was refused", () => assertNothingRejected(world));
  await Deno.remove(dir, { recursive: true });
});
