/**
 * Telemetry collectors, metrics that a namespace disables, and eviction of metrics.
 *
 * @module
 */
import assert from "node:assert/strict";
import { askTcp, call, eventually } from "../../scripts/harness/mod.ts";
import { toYaml } from "../../lib/kit/text/mod.ts";
import { withCertificates } from "../support/certificates.ts";
import type { Spec } from "../support/manifest.ts";
import { CLIENT, CLIENT_NAMESPACE, startSecurityWorld } from "./security/world.ts";
import { collectorService, startOtlp, startSkyWalking } from "./telemetry/collectors.ts";
import { having, scrape } from "./telemetry/scrape.ts";

/** Time for which proxies keep unused metrics: their flush interval. */
const ROTATION = "5s";

function telemetry(spec: Spec, namespace = "mesh-system"): string {
  return toYaml({
    apiVersion: "telemetry.mesh.io/v1",
    kind: "Telemetry",
    metadata: { name: "main", namespace },
    spec,
  });
}

/** A service that says how much to trace; what it was asked, oldest first. */
function startSampling() {
  const asked: { readonly path: string; readonly token: string }[] = [];
  const options = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
  const server = Deno.serve(options, (request) => {
    const url = new URL(request.url);
    asked.push({
      path: url.pathname + url.search,
      token: request.headers.get("authorization") ?? "",
    });
    return Response.json({ rootSpansPerMinute: 2_000 });
  });
  return {
    asked,
    port: server.addr.port,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

Deno.test(withCertificates("collectors that are asked, metrics that are not kept", async (t) => {
  await using stack = new AsyncDisposableStack();
  const sky = stack.use(await startSkyWalking());
  const otlp = stack.use(await startOtlp());
  const sampling = stack.use(startSampling());
  const sampler = {
    tenant: "abc12345",
    clusterId: -1743916452,
    rootSpansPerMinute: 2_000,
    httpService: {
      service: "sampling.test",
      port: sampling.port,
      http: {
        path: "/api/v2/otlp/v1/sampling",
        headers: [{ name: "authorization", value: "Api-Token secret" }],
      },
    },
  };
  const world = stack.use(
    await startSecurityWorld({
      meshConfig: {
        extensionProviders: [
          { name: "sky", skywalking: { service: "sky.test", port: sky.port } },
          {
            name: "sampled",
            opentelemetry: { service: "otlp.test", port: otlp.port, dynatraceSampler: sampler },
          },
        ],
      },
      env: { METRIC_ROTATION_INTERVAL: ROTATION },
      agentEnv: { METRIC_ROTATION_INTERVAL: ROTATION },
      services: [
        collectorService("sky", sky.port, "GRPC"),
        collectorService("otlp", otlp.port, "GRPC"),
        collectorService("sampling", sampling.port, "HTTP"),
      ],
    }),
  );
  const { server, client, http, tcp } = world;
  const ask = (path: string) => call(`http://${CLIENT}:${http}${path}`, { host: "shop.test" });
  const counted = async (agent: typeof server, name: string): Promise<number> =>
    having(await scrape(agent), name).reduce((sum, { value }) => sum + value, 0);
  const opened = () => counted(client, "mesh_tcp_connections_opened_total");

  await t.step("connections are counted", async () => {
    await world.apply();
    assert.equal(await askTcp(CLIENT, tcp), "till");
    await eventually("a count", async () => await opened() > 0);
  });
  await t.step("one namespace counts no requests, and the other still counts them", async () => {
    const disabled = { metrics: [{ overrides: [{ disabled: true }] }] };
    await world.apply(telemetry(disabled, CLIENT_NAMESPACE));
    await eventually("requests that the server alone counts", async () => {
      const of = () =>
        Promise.all([client, server].map((one) => counted(one, "mesh_requests_total")));
      const [sent = 0, taken = 0] = await of();
      for (let i = 0; i < 3; i++) await ask("/silent");
      const [sentNow = 0, takenNow = 0] = await of();
      return sentNow <= sent && takenNow >= taken + 3;
    });
  });
  await t.step("segments by SkyWalking, of both sides", async () => {
    const providers = [{ name: "sky" }];
    await world.apply(telemetry({ tracing: [{ providers, randomSamplingPercentage: 100 }] }));
    await eventually("segments", async () => {
      await ask("/walked");
      const mine = sky.received.filter((text) => text.includes("/walked"));
      // A segment goes under the name of the service that made it.
      return ["web", "shop"].every((name) => mine.some((text) => text.includes(`${name}.${name}`)));
    });
  });
  await t.step("a sampler is configured with the sampling rate, and forwards it", async () => {
    const providers = [{ name: "sampled" }];
    await world.apply(telemetry({ tracing: [{ providers, randomSamplingPercentage: 100 }] }));
    const state = await eventually("the sampler's word", async () => {
      const { echo } = await ask("/sampled");
      return echo?.headers["tracestate"];
    });
    assert.match(state, /^5b3f9fed-980df25c@dt=fw4;/, "hash of the tenant, and its cluster");
    await eventually("an export", async () => {
      await ask("/sampled");
      return otlp.received.some((text) => text.includes("/sampled"));
    });
    // It asks ten seconds after it is made.
    const asked = await eventually("the question", () => sampling.asked[0]);
    assert.deepEqual(asked, { path: "/api/v2/otlp/v1/sampling", token: "Api-Token secret" });
  });
  await t.step("an idle metric is removed, and starts again from zero", async () => {
    await eventually("the connections to be forgotten", async () => await opened() === 0);
    assert.equal(await askTcp(CLIENT, tcp), "till");
    await eventually("one connection", async () => await opened() === 1);
  });
}));
