/**
 * The oldest Envoy that is served: traffic flows through it in both xDS variants, and the daemon
 * warns of the features that it lacks.
 *
 * @module
 */
import assert from "node:assert/strict";
import { call, eventually, freePort, startBackend } from "../../scripts/harness/mod.ts";
import { OLDEST_ENVOY_VERSION, oldestEnvoyPath } from "../../scripts/tools.ts";
import { documents, endpoint, manifest, serviceEntry, to } from "../support/manifest.ts";
import { assertNothingRejected, sidecars, startWorld } from "../support/world.ts";

const HOST = "echo.test";

/** Routes, retries, faults, headers, mirrors, balancing and telemetry: a part for each feature. */
function configuration(port: number, backend: number): string {
  return documents(
    serviceEntry("echo", [HOST], { number: port, protocol: "HTTP" }, [endpoint(backend)]),
    manifest("DestinationRule", "echo", {
      host: HOST,
      trafficPolicy: {
        loadBalancer: { simple: "ROUND_ROBIN" },
        outlierDetection: { consecutive5xxErrors: 5 },
        connectionPool: { http: { http1MaxPendingRequests: 10, maxRetries: 3 } },
      },
    }),
    manifest("VirtualService", "echo", {
      hosts: [HOST],
      http: [
        {
          match: [{ uri: { prefix: "/fault" } }],
          fault: { abort: { httpStatus: 418, percentage: { value: 100 } } },
          ...to(HOST),
        },
        {
          match: [{ uri: { prefix: "/moved" } }],
          redirect: { uri: "/here" },
        },
        {
          match: [{ uri: { prefix: "/old" } }],
          rewrite: { uri: "/new" },
          ...to(HOST),
        },
        {
          headers: { response: { add: { "x-added": "yes" } } },
          retries: { attempts: 2, retryOn: "5xx" },
          timeout: "5s",
          ...to(HOST),
        },
      ],
    }),
  );
}

Deno.test(`traffic flows through Envoy ${OLDEST_ENVOY_VERSION}`, async () => {
  await using backend = startBackend("one");
  const port = freePort();
  await using world = await startWorld({
    envoy: await oldestEnvoyPath(),
    files: {
      "configuration.yaml": configuration(port, backend.port),
      "sidecars.yaml": sidecars([{ number: port, protocol: "HTTP" }]),
    },
  });
  for (const testProxy of world.testProxies) {
    const { address, transport } = testProxy;
    const ask = (path: string) => call(`http://${address}:${port}${path}`, { host: HOST });
    await eventually(`${transport}: requests reach the backend`, async () => {
      const { status, body } = await ask("/");
      if (status !== 200) throw new Error(`${status} ${body}`);
      return true;
    }, 15_000);
    assert.equal((await ask("/")).headers["x-added"], "yes");
    assert.equal((await ask("/fault")).status, 418);
    assert.equal((await ask("/moved")).status, 301);
    assert.equal((await ask("/old")).echo?.path, "/new");
  }
  await assertNothingRejected(world);
  const log = world.daemon.program.output();
  const warnings = log.split("\n").filter((line) => line.includes("a proxy lacks a feature"));
  for (const feature of ["metrics", "formatted-tags", "virtual-hosts", "weighed-utilization"]) {
    const about = warnings.filter((line) => line.includes(feature));
    assert.ok(about.length >= world.testProxies.length, `${feature}:\n${warnings.join("\n")}`);
    assert.ok(about.every((line) => line.includes(OLDEST_ENVOY_VERSION)), about.join("\n"));
    assert.ok(about.some((line) => line.includes("sidecar-delta")), about.join("\n"));
  }
});
