/**
 * Cases of requests at gateways: GRPCRoute, CORS, copies, retries, timeouts, shares.
 *
 * @module
 */
import assert from "node:assert/strict";
import { call, eventually, spread } from "../../../scripts/harness/mod.ts";
import { openStream, RpcError } from "../../../lib/kit/rpc/mod.ts";
import type { Spec } from "../../support/manifest.ts";
import type { TestProxy } from "../../support/world.ts";
import { type Bench, by, type GatewayCase, route, status, to, urlOf } from "./bench.ts";

function httpRoute(name: string, rules: readonly Spec[]): string {
  return route("HTTPRoute", name, { hostnames: [`${name}.test`], rules });
}

const under = (value: string) => [{ path: { value } }];

/** The message, or the status, that a call of gRPC ends with. */
async function callOf(
  { ports }: Bench,
  { address }: TestProxy,
  path: string,
  metadata: Readonly<Record<string, string>> = {},
): Promise<string> {
  const target = `${address}:${ports.http}`;
  const stream = openStream({ target, path, metadata });
  stream.send([new Uint8Array()]);
  stream.end();
  try {
    for await (const message of stream.messages) return new TextDecoder().decode(message);
    return "nothing";
  } catch (error) {
    if (error instanceof RpcError) return `status ${error.status}`;
    throw error;
  } finally {
    stream.close();
    await stream.ended;
  }
}

/** The answers to 200 requests, with their counts: the backend with what it received, or a redirect. */
async function answersTo(
  url: string,
  host: string,
  key: string,
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (let i = 0; i < 200; i++) {
    const { status, echo, headers } = await call(url, { host, headers: { "x-request-key": key } });
    const text = echo === undefined
      ? `${status} ${headers["location"]}`
      : `${echo.backend} ${echo.host}${echo.path}`;
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return counts;
}

/** In an order that matters: each leaves its routes behind unless it removes them. */
export const REQUEST_CASES: readonly GatewayCase[] = [
  {
    name: "GRPCRoutes choose by method and header",
    run: async (bench) => {
      await bench.world.config.write(
        "grpc.yaml",
        route("GRPCRoute", "grpc", {
          rules: [
            {
              matches: [{ method: { service: "mesh.test.Echo", method: "Say" } }],
              backendRefs: [to("calls-a")],
            },
            {
              matches: [{
                method: { service: "mesh.test.Echo" },
                headers: [{ name: "x-to", value: "b" }],
              }],
              backendRefs: [to("calls-b")],
            },
          ],
        }),
      );
      const say = "/mesh.test.Echo/Say";
      const other = "/mesh.test.Echo/Other";
      await bench.each("router", async (proxy) => {
        await eventually("a", async () => await callOf(bench, proxy, say) === "calls-a");
        assert.equal(await callOf(bench, proxy, other, { "x-to": "b" }), "calls-b");
        // No rule takes it: the status of the answer 404.
        assert.equal(await callOf(bench, proxy, other), "status UNIMPLEMENTED");
        assert.equal(await callOf(bench, proxy, say, { "x-to": "b" }), "calls-a");
      });
      await bench.world.config.remove("grpc.yaml");
    },
  },
  {
    name: "CORS: origins by name and pattern, and others",
    run: async (bench) => {
      const cors = {
        allowOrigins: ["https://shop.test", "https://*.shop.test"],
        allowMethods: ["GET", "PUT"],
        allowHeaders: ["x-a"],
        exposeHeaders: ["x-b"],
        allowCredentials: true,
        maxAge: 60,
      };
      await bench.world.config.write(
        "cors.yaml",
        httpRoute("cors", [{ filters: [{ type: "CORS", cors }], backendRefs: [to("a")] }]),
      );
      const ask = (origin: string, method = "OPTIONS") => ({
        host: "cors.test",
        method,
        headers: { origin, "access-control-request-method": "PUT" },
      });
      const allowed = (origin: string) => (answer: { headers: Readonly<Record<string, string>> }) =>
        answer.headers["access-control-allow-origin"] === origin;
      for (const origin of ["https://shop.test", "https://a.shop.test"]) {
        await bench.meets(
          ask(origin),
          ({ headers, echo }) =>
            echo === undefined && allowed(origin)({ headers }) &&
            headers["access-control-allow-methods"] === "GET,PUT" &&
            headers["access-control-allow-headers"] === "x-a" &&
            headers["access-control-max-age"] === "60" &&
            headers["access-control-allow-credentials"] === "true",
        );
        await bench.meets(
          ask(origin, "GET"),
          ({ headers, echo }) =>
            echo?.backend === "a" && allowed(origin)({ headers }) &&
            headers["access-control-expose-headers"] === "x-b",
        );
      }
      for (const origin of ["https://other.test", "https://shop.test.evil"]) {
        await bench.meets(
          ask(origin, "GET"),
          ({ headers, echo }) =>
            echo?.backend === "a" && headers["access-control-allow-origin"] === undefined,
        );
      }
    },
  },
  {
    name: "copies: all, none and a share of the requests",
    run: async (bench) => {
      const mirror = (path: string, more: Spec) => ({
        matches: under(path),
        filters: [{ type: "RequestMirror", requestMirror: { backendRef: to("copies"), ...more } }],
        backendRefs: [to("a")],
      });
      await bench.world.config.write(
        "mirror.yaml",
        httpRoute("mirror", [
          mirror("/all", {}),
          mirror("/none", { percent: 0 }),
          mirror("/half", { fraction: { numerator: 4, denominator: 8 } }),
        ]),
      );
      const { copies } = bench;
      await bench.meets({ host: "mirror.test", path: "/all" }, by("a"));
      await bench.each("router", async (proxy) => {
        const send = async (path: string, count: number) => {
          const key = `${proxy.transport}${path}`;
          const asked = await spread(count, `${urlOf(bench, proxy)}${path}`, {
            host: "mirror.test",
            headers: { "x-request-key": key },
          });
          assert.deepEqual(asked, { a: count });
          return () => copies.seen(key).length;
        };
        const none = await send("/none", 20);
        const half = await send("/half", 200);
        const all = await send("/all", 10);
        await eventually("10 copies", () => Promise.resolve(all() === 10));
        // The share is a chance: that 200 throws give less than 50 or more than 150 does not happen.
        await eventually("copies of a share", () => Promise.resolve(half() > 50));
        assert.ok(half() < 150, `${half()} copies`);
        assert.equal(none(), 0);
      });
    },
  },
  {
    name: "retries of statuses, and no more of them than allowed",
    run: async (bench) => {
      await bench.world.config.write(
        "retry.yaml",
        httpRoute("retry", [
          {
            matches: under("/twice"),
            retry: { attempts: 2, codes: [503], backoff: "10ms" },
            backendRefs: [to("a")],
          },
          { matches: under("/never"), retry: { attempts: 0 }, backendRefs: [to("a")] },
        ]),
      );
      let key = 0;
      const asked = (path: string, failures: number) => ({
        host: "retry.test",
        path,
        get headers() {
          return { "x-backend-fail-first": `${failures}`, "x-request-key": `retry-${key++}` };
        },
      });
      const of = async (path: string, failures: number, right: number) => {
        await bench.each("router", async (proxy) => {
          await eventually(`${path} ${failures}`, async () => {
            const { headers, host } = asked(path, failures);
            const answer = await call(`${urlOf(bench, proxy)}${path}`, { host, headers });
            return answer.status === right;
          });
        });
      };
      await of("/twice", 2, 200);
      await of("/twice", 3, 503);
      await of("/never", 1, 503);
    },
  },
  {
    name: "timeouts of a request and of an attempt",
    run: async (bench) => {
      await bench.world.config.write(
        "timeouts.yaml",
        httpRoute("timeouts", [
          {
            matches: under("/request"),
            timeouts: { request: "200ms" },
            backendRefs: [to("a")],
          },
          {
            matches: under("/attempt"),
            timeouts: { request: "20s", backendRequest: "200ms" },
            backendRefs: [to("a")],
          },
          { matches: under("/zero"), timeouts: { request: "0s" }, backendRefs: [to("a")] },
        ]),
      );
      const late = (path: string, delay: string) => ({
        host: "timeouts.test",
        path,
        headers: { "x-backend-delay-ms": delay },
      });
      await bench.meets(late("/request", "0"), by("a"));
      await bench.meets(late("/request", "5000"), status(504));
      await bench.meets(late("/attempt", "5000"), status(504));
      await bench.meets(late("/zero", "300"), by("a"));
    },
  },
  {
    name: "shares of requests by weight",
    run: async (bench) => {
      await bench.world.config.write(
        "shares.yaml",
        httpRoute("shares", [{
          backendRefs: [
            to("a", { weight: 9 }),
            to("b", { weight: 1 }),
            to("absent", { weight: 0 }),
          ],
        }]),
      );
      await bench.meets({ host: "shares.test" }, by("b"));
      await bench.each("router", async (proxy) => {
        const { a = 0, b = 0 } = await spread(400, urlOf(bench, proxy), { host: "shares.test" });
        assert.equal(a + b, 400);
        // The share is a chance of 1 in 10.
        assert.ok(b >= 10 && b <= 100, `${b} of 400 requests for b`);
      });
    },
  },
  {
    name: "filters of backends: rewrites, redirects and copies, each for its share of the requests",
    run: async (bench) => {
      const rewrite = (hostname: string, replaceFullPath: string) => ({
        type: "URLRewrite",
        urlRewrite: { hostname, path: { type: "ReplaceFullPath", replaceFullPath } },
      });
      const copy = { type: "RequestMirror", requestMirror: { backendRef: to("copies") } };
      const redirect = { type: "RequestRedirect", requestRedirect: { hostname: "moved.test" } };
      await bench.world.config.write(
        "backend-filters.yaml",
        httpRoute("filtered", [
          {
            matches: under("/one"),
            backendRefs: [to("a", { filters: [rewrite("inner.test", "/x")] })],
          },
          {
            matches: under("/two"),
            backendRefs: [
              to("a", { weight: 1, filters: [rewrite("one.test", "/a"), copy] }),
              to("b", { weight: 2, filters: [rewrite("two.test", "/b")] }),
              to("a", { weight: 1, filters: [redirect] }),
            ],
          },
        ]),
      );
      const host = "filtered.test";
      await bench.meets(
        { host, path: "/one" },
        ({ echo }) => echo?.backend === "a" && echo.path === "/x" && echo.host === "inner.test",
      );
      await bench.each("router", async (proxy) => {
        const key = `${proxy.transport}/two`;
        const counts = await answersTo(`${urlOf(bench, proxy)}/two`, host, key);
        const moved = [...counts.keys()].filter((text) => text.startsWith("302 "));
        assert.equal(moved.length, 1, `${[...counts.keys()]}`);
        assert.match(moved[0]!, /^302 http:\/\/moved\.test(:\d+)?\/two$/);
        assert.deepEqual(
          [...counts.keys()].filter((text) => !text.startsWith("302 ")).sort(),
          ["a one.test/a", "b two.test/b"],
        );
        // Far outside of what chance does.
        assert.ok(counts.get("b two.test/b")! > 60 && counts.get("a one.test/a")! < 90);
        await eventually(
          "a copy of each request to the first backend",
          () => Promise.resolve(bench.copies.seen(key).length === counts.get("a one.test/a")),
        );
      });
    },
  },
];
