/**
 * Metrics, logs and traces, by traffic between real proxies.
 *
 * @module
 */
import assert from "node:assert/strict";
import { call, eventually } from "../../scripts/harness/mod.ts";
import { toYaml } from "../../lib/kit/text/mod.ts";
import { withCertificates } from "../support/certificates.ts";
import type { Spec } from "../support/manifest.ts";
import {
  authorization,
  CLIENT,
  SERVER,
  SERVER_NAMESPACE,
  startSecurityWorld,
} from "./security/world.ts";
import { collectorService, startOtlp, startZipkin } from "./telemetry/collectors.ts";
import { having, type Sample, scrape } from "./telemetry/scrape.ts";

const ROOT = "mesh-system";

function telemetry(name: string, spec: Spec, namespace = ROOT): string {
  return toYaml({
    apiVersion: "telemetry.mesh.io/v1",
    kind: "Telemetry",
    metadata: { name, namespace },
    spec,
  });
}

/** Both workloads, as both sides report them. */
const ENDS = {
  source_workload: "web",
  source_workload_namespace: "web",
  source_canonical_service: "web",
  source_canonical_revision: "latest",
  source_app: "web",
  destination_workload_namespace: "shop",
  destination_canonical_service: "shop",
  destination_canonical_revision: "latest",
  destination_app: "shop",
};

/** Cluster of the endpoints: the daemon's default. */
const CLUSTER = "Orchestrator";

const PRINCIPALS = {
  source_principal: "spiffe://cluster.local/ns/web/sa/web",
  destination_principal: "spiffe://cluster.local/ns/shop/sa/shop",
};

const SERVICE = {
  destination_service: "shop.test",
  destination_service_name: "shop.test",
  destination_service_namespace: "shop",
};

Deno.test(withCertificates("telemetry of requests and connections", async (t) => {
  await using stack = new AsyncDisposableStack();
  const zipkin = stack.use(startZipkin());
  const otlp = stack.use(await startOtlp());
  const dir = await Deno.makeTempDir({ prefix: "mesh-telemetry-" });
  stack.defer(() => Deno.remove(dir, { recursive: true }));
  const log = `${dir}/access.log`;
  const audited = `${dir}/audit.log`;
  const world = stack.use(
    await startSecurityWorld({
      meshConfig: {
        defaultConfig: { fileFlushInterval: "0.05s" },
        extensionProviders: [
          { name: "zipkin", zipkin: { service: "zipkin.test", port: zipkin.port } },
          { name: "otlp", opentelemetry: { service: "otlp.test", port: otlp.port } },
          {
            name: "file",
            dataproxyFileAccessLog: {
              path: log,
              logFormat: { labels: { path: "%REQ(:PATH)%", code: "%RESPONSE_CODE%" } },
            },
          },
          {
            name: "audit",
            dataproxyFileAccessLog: {
              path: audited,
              logFormat: {
                labels: {
                  path: "%REQ(:PATH)%",
                  audited: "%DYNAMIC_METADATA(envoy.common:access_log_hint)%",
                },
              },
            },
          },
        ],
      },
      services: [
        collectorService("zipkin", zipkin.port, "HTTP"),
        collectorService("otlp", otlp.port, "GRPC"),
      ],
    }),
  );
  const { server, client, http, tcp } = world;
  const ask = async (path: string, headers: Record<string, string> = {}) =>
    await call(`http://${CLIENT}:${http}${path}`, { host: "shop.test", headers });
  const sample = (agent: typeof server, name: string, labels: Record<string, string>) =>
    eventually(
      `${name} of ${agent.name} with ${JSON.stringify(labels)}`,
      async (): Promise<Sample | undefined> => having(await scrape(agent), name, labels)[0],
    );

  await t.step("requests, with the labels of both ends", async () => {
    await world.apply();
    const { status, echo } = await ask("/counted");
    assert.equal(status, 200);
    assert.equal(echo?.headers["x-mesh-peer"], undefined, "the application is told of the peer");
    const common = { ...ENDS, ...PRINCIPALS, ...SERVICE, response_code: "200" };
    await sample(client, "mesh_requests_total", {
      ...common,
      reporter: "source",
      destination_cluster: CLUSTER,
      request_protocol: "http",
      response_flags: "-",
    });
    await sample(server, "mesh_requests_total", {
      ...common,
      reporter: "destination",
      destination_workload: "shop",
      connection_security_policy: "mutual_tls",
    });
    for (const metric of ["request_duration_milliseconds", "request_bytes", "response_bytes"]) {
      // Distributions are merged every few seconds.
      await eventually(
        `one ${metric}`,
        async () => having(await scrape(server), `mesh_${metric}_count`, common)[0]?.value === 1,
      );
    }
  });
  await t.step("whoever comes without a proxy is unknown", async () => {
    const { status } = await call(`http://${SERVER}:${http}/plain`, { host: "shop.test" });
    assert.equal(status, 200);
    await sample(server, "mesh_requests_total", {
      source_workload: "unknown",
      source_principal: "unknown",
      connection_security_policy: "none",
    });
  });
  await t.step("gRPC, by its own status", async () => {
    await ask("/grpc", { "content-type": "application/grpc" });
    await sample(client, "mesh_requests_total", { ...ENDS, request_protocol: "grpc" });
  });
  await t.step("connections", async () => {
    using connection = await Deno.connect({ hostname: CLIENT, port: tcp });
    await connection.write(new TextEncoder().encode("hello\n"));
    await connection.read(new Uint8Array(64));
    const opened = {
      ...ENDS,
      reporter: "source",
      destination_cluster: CLUSTER,
      request_protocol: "tcp",
    };
    await sample(client, "mesh_tcp_connections_opened_total", opened);
    connection.close();
    await sample(client, "mesh_tcp_connections_closed_total", {
      ...opened,
      destination_service: "till.test",
    });
    const received = await sample(server, "mesh_tcp_received_bytes_total", {
      reporter: "destination",
      source_principal: PRINCIPALS.source_principal,
      // The subject of this certificate, which is not of the mesh's authority, has no workload.
      source_workload_namespace: ENDS.source_workload_namespace,
      source_workload: "unknown",
    });
    assert.equal(received.value, 6);
    await sample(server, "mesh_tcp_sent_bytes_total", { destination_workload: "shop" });
  });
  await t.step("labels are changed, and metrics left out, where resources say so", async () => {
    await world.apply(
      telemetry("mesh", {
        metrics: [{
          overrides: [
            { match: { metric: "REQUEST_DURATION" }, disabled: true },
            {
              match: { metric: "REQUEST_COUNT", mode: "SERVER" },
              tagOverrides: {
                method: { value: "request.method" },
                place: { value: '"here"' },
                source_app: { operation: "REMOVE" },
              },
            },
          ],
        }],
      }),
    );
    const counted = await eventually("a changed label", async () => {
      await ask("/changed");
      return having(await scrape(server), "mesh_requests_total", {
        method: "GET",
        place: "here",
      })[0];
    });
    assert.equal(counted.labels.source_app, undefined);
    assert.deepEqual(having(await scrape(client), "mesh_requests_total", { method: "GET" }), []);
    const durations = async () =>
      having(await scrape(server), "mesh_request_duration_milliseconds_count")
        .reduce((sum, { value }) => sum + value, 0);
    const before = await durations();
    await ask("/uncounted");
    assert.ok(await durations() <= before);
  });
  await t.step("access logs, of what a filter lets through", async () => {
    await world.apply(
      telemetry("server", {
        selector: { matchLabels: { app: "shop" } },
        accessLogging: [{
          match: { mode: "SERVER" },
          providers: [{ name: "file" }],
          filter: { expression: "response.code >= 400" },
        }],
      }, SERVER_NAMESPACE),
    );
    const lines = await eventually("a line", async () => {
      await ask("/good");
      await ask("/bad", { "x-backend-status": "418" });
      const text = await Deno.readTextFile(log).catch(() => "");
      return text === "" ? undefined : text.trim().split("\n");
    });
    assert.deepEqual(JSON.parse(lines[0]!), { code: 418, path: "/bad" });
    assert.ok(lines.every((line) => !line.includes("/good")), lines.join("\n"));
  });
  await t.step("requests that an AUDIT policy matches are marked", async () => {
    await world.apply(
      authorization("noted", {
        action: "AUDIT",
        rules: [{ to: [{ operation: { paths: ["/noted*"] } }] }],
      }),
      telemetry("server", {
        selector: { matchLabels: { app: "shop" } },
        accessLogging: [{
          match: { mode: "SERVER" },
          providers: [{ name: "audit" }],
          filter: {
            expression: "metadata.filter_metadata['envoy.common']['access_log_hint'] == true",
          },
        }],
      }, SERVER_NAMESPACE),
    );
    const text = await eventually("a line of what is noted", async () => {
      assert.equal((await ask("/plain")).status, 200);
      assert.equal((await ask("/noted")).status, 200);
      const found = await Deno.readTextFile(audited).catch(() => "");
      return found === "" ? undefined : found;
    });
    const lines = text.trim().split("\n").map((line) => JSON.parse(line));
    for (const line of lines) assert.deepEqual(line, { path: "/noted", audited: true });
  });
  await t.step("traces by Zipkin", async () => {
    await world.apply(
      telemetry("mesh", {
        tracing: [{
          providers: [{ name: "zipkin" }],
          randomSamplingPercentage: 100,
          customTags: {
            fixed: { literal: { value: "yes" } },
            who: { header: { name: "x-who", defaultValue: "nobody" } },
            verb: { formatter: { value: "%REQ(:METHOD)%" } },
          },
        }],
      }),
    );
    const [sent, taken] = await eventually("spans", async () => {
      await ask("/traced", { "x-who": "me" });
      const mine = zipkin.received.filter(({ tags }) => tags["http.url"]?.endsWith("/traced"));
      const kinds = ["CLIENT", "SERVER"].map((kind) => mine.find((span) => span.kind === kind));
      return kinds.every((span) => span !== undefined) ? kinds : undefined;
    }, 20_000);
    for (const span of [sent, taken]) {
      assert.equal(span?.tags.fixed, "yes");
      assert.equal(span?.tags.who, "me");
      assert.equal(span?.tags.verb, "GET");
    }
    assert.equal(sent?.tags["mesh.canonical_service"], "web");
    assert.equal(taken?.tags["mesh.canonical_service"], "shop");
  });
  await t.step("traces by OTLP, of one workload", async () => {
    await world.apply(
      telemetry("server", {
        selector: { matchLabels: { app: "shop" } },
        tracing: [{ providers: [{ name: "otlp" }], randomSamplingPercentage: 100 }],
      }, SERVER_NAMESPACE),
    );
    const text = await eventually("an export", async () => {
      await ask("/exported");
      return otlp.received.find((one) => one.includes("/exported"));
    }, 20_000);
    assert.match(text, /mesh\.canonical_service/);
    assert.match(text, /shop\.shop/, "the service's name");
  });
  await t.step("a resource disables trace propagation to the called workload", async () => {
    const propagated = async (): Promise<boolean> =>
      Object.keys((await ask("/quiet")).echo?.headers ?? {}).some((name) =>
        name.startsWith("x-b3-") || name === "traceparent"
      );
    const quiet = (disableContextPropagation: boolean): Promise<void> =>
      world.apply(
        telemetry("mesh", {
          tracing: [{
            providers: [{ name: "otlp" }],
            randomSamplingPercentage: 100,
            disableContextPropagation,
          }],
        }),
      );
    await quiet(false);
    await eventually("the backend to be told", propagated);
    await quiet(true);
    await eventually("the backend not to be told", async () => !(await propagated()));
  });
  await t.step("no more when reporting is disabled", async () => {
    await world.apply(
      telemetry("mesh", {
        tracing: [{ providers: [{ name: "zipkin" }], disableSpanReporting: true }],
      }),
    );
    const before = zipkin.received.length;
    for (let i = 0; i < 20; i++) await ask("/silent");
    assert.ok(
      !zipkin.received.slice(before).some(({ tags }) => tags["http.url"]?.endsWith("/silent")),
    );
  });
}));
