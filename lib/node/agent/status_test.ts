import assert from "node:assert/strict";
import { startWeb } from "../../kit/web/mod.ts";
import type { ScrapeOptions } from "./scrape.ts";
import { type StatusOptions, statusRoutes } from "./status.ts";

interface Server {
  readonly calls: string[];
  get(path: string, init?: RequestInit): Promise<{ status: number; type: string; body: string }>;
}

/** Runs with a status server on loopback. */
async function serving(
  chosen: Partial<StatusOptions>,
  run: (server: Server) => Promise<void>,
): Promise<void> {
  const calls: string[] = [];
  const routes = statusRoutes({
    readiness: { check: () => Promise.resolve(undefined) },
    scrape: { proxy: undefined, application: undefined },
    metricsLocalOnly: false,
    quit: () => void calls.push("quit"),
    drain: () => void calls.push("drain"),
    ...chosen,
  });
  const web = await startWeb({ name: "status", address: "127.0.0.1:0", routes });
  try {
    await run({
      calls,
      async get(path, init) {
        const response = await fetch(`http://127.0.0.1:${web.address.port}${path}`, init);
        const type = response.headers.get("content-type") ?? "";
        return { status: response.status, type, body: await response.text() };
      },
    });
  } finally {
    await web.stop(0);
  }
}

for (
  const [reason, status] of [[undefined, 200], ["not yet", 503], [new Error("gone"), 503]] as const
) {
  Deno.test(`readiness of ${reason} is ${status} with nothing more`, () => {
    const check = () => reason instanceof Error ? Promise.reject(reason) : Promise.resolve(reason);
    return serving({ readiness: { check } }, async ({ get }) => {
      for (const method of ["GET", "HEAD", "POST"]) {
        const answer = await get("/healthz/ready", { method });
        assert.deepEqual([answer.status, answer.body], [status, ""]);
      }
    });
  });
}

for (const command of ["quit", "drain"]) {
  const path = command === "quit" ? "/quitquitquit" : "/drain";
  Deno.test(`${path} takes a POST of this machine only`, () =>
    serving({}, async ({ calls, get }) => {
      assert.equal((await get(path)).status, 405);
      const foreign = { method: "POST", headers: { origin: "http://evil.example" } };
      assert.equal((await get(path, foreign)).status, 403);
      assert.deepEqual(calls, []);
      const { status, body } = await get(path, { method: "POST" });
      assert.deepEqual([status, body], [200, "OK"]);
      assert.deepEqual(calls, [command]);
    }));
}

Deno.test("unknown paths are not found", () =>
  serving({}, async ({ get }) => {
    assert.equal((await get("/debug/nothing")).status, 404);
  }));

const PROXY_TEXT = `# TYPE envoy_mesh_requests_total counter
envoy_mesh_requests_total{a="envoy_mesh_b"} 1
# TYPE envoy_server_live gauge
envoy_server_live{} 1`;

/** Runs with a proxy and an application that serve metrics. */
async function withTargets(
  application: () => Response,
  run: (scrape: ScrapeOptions, asked: string[]) => Promise<void>,
): Promise<void> {
  const asked: string[] = [];
  const options = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
  const server = Deno.serve(options, (request) => {
    const { pathname, search } = new URL(request.url);
    asked.push(`${pathname}${search} ${request.headers.get("accept")}`);
    return pathname === "/app" ? application() : new Response(PROXY_TEXT);
  });
  const address = `127.0.0.1:${server.addr.port}`;
  try {
    await run({ proxy: address, application: { address, path: "/app" } }, asked);
  } finally {
    await server.shutdown();
  }
}

Deno.test("metrics of agent, proxy and application come in one answer, in this order", () => {
  const type = "application/openmetrics-text; version=1.0.0";
  const application = () =>
    new Response("app_total 1\n# EOF\n", { headers: { "content-type": type } });
  return withTargets(application, (scrape, asked) =>
    serving({ scrape }, async ({ get }) => {
      const accept = "application/openmetrics-text";
      const answer = await get("/stats/prometheus?usedonly", { headers: { accept } });
      assert.equal(answer.type, type);
      assert.match(answer.body, /^mesh_agent_scrapes_total \d+$/m);
      assert.match(answer.body, /^# TYPE mesh_agent_scrapes_total counter$/m);
      assert.doesNotMatch(
        answer.body,
        /^(# \w+ )?(?!mesh_agent_|mesh_requests|envoy_|app_|# EOF)\w/m,
      );
      const rest = '# TYPE mesh_requests_total counter\nmesh_requests_total{a="envoy_mesh_b"} 1\n' +
        "# TYPE envoy_server_live gauge\nenvoy_server_live{} 1\napp_total 1\n# EOF\n";
      assert.ok(answer.body.endsWith(rest), answer.body);
      assert.deepEqual(asked.sort(), [
        `/app ${accept}`,
        "/stats/prometheus?usedonly */*",
      ]);
    }));
});

Deno.test("an endpoint that cannot be scraped is left out and counted", () =>
  withTargets(
    () => new Response("no", { status: 500 }),
    (scrape) =>
      serving({ scrape }, async ({ get }) => {
        const first = await get("/metrics");
        assert.equal(first.status, 200);
        assert.match(first.body, /^envoy_server_live/m);
        assert.match(first.type, /^text\/plain; version=0\.0\.4/);
        const { body } = await get("/metrics");
        assert.match(body, /^mesh_agent_scrape_failures_total\{type="application"\} [1-9]/m);
        assert.doesNotMatch(body, /^mesh_agent_scrape_failures_total\{type="proxy"\}/m);
      }),
  ));

Deno.test("metrics are compressed for clients that accept gzip", async () => {
  const handler = statusRoutes({
    readiness: { check: () => Promise.resolve(undefined) },
    scrape: { proxy: undefined, application: undefined },
    metricsLocalOnly: false,
    quit: () => {},
    drain: () => {},
  });
  const web = await startWeb({ name: "status", address: "127.0.0.1:0", routes: handler });
  try {
    for (
      const [accepted, expected] of [
        ["gzip", "gzip"],
        ["br, gzip;q=0.5", "gzip"],
        ["gzip;q=0, br", null],
        ["identity", null],
      ] as const
    ) {
      const answer = await fetch(`http://127.0.0.1:${web.address.port}/stats/prometheus`, {
        headers: { "accept-encoding": accepted },
      });
      // The client of the runtime decompresses, and removes the header.
      assert.match(await answer.text(), /^mesh_agent_mesh_build/m);
      assert.equal(answer.headers.get("vary"), "accept-encoding");
      assert.equal(answer.headers.get("content-encoding"), expected);
    }
  } finally {
    await web.stop(0);
  }
});
