/**
 * `meshctl experimental metrics` with a real Prometheus, which reads metrics of a server here.
 *
 * @module
 */
import assert from "node:assert/strict";
import {
  eventually,
  freePort,
  makeConfigDir,
  startCommand,
  startDaemon,
} from "../../scripts/harness/mod.ts";
import type { TrafficEdge } from "../../lib/insight/monitor/mod.ts";
import { isInstalled } from "../support/installed.ts";
import { serviceEntry } from "../support/manifest.ts";
import { meshctl } from "../support/meshctl.ts";

const hasPrometheus = isInstalled("prometheus");

/** Metrics of two requests more at each question, one of four failing, each of 5 to 10 ms. */
function metricsPage(questions: number): string {
  const labels = 'destination_workload="web",destination_workload_namespace="shop",' +
    'source_workload="front",source_workload_namespace="shop",destination_service="web.test",' +
    'reporter="destination"';
  const count = questions * 40;
  return [
    `mesh_requests_total{${labels},response_code="200"} ${count * 3}`,
    `mesh_requests_total{${labels},response_code="503"} ${count}`,
    `mesh_request_duration_milliseconds_bucket{${labels},le="5"} 0`,
    `mesh_request_duration_milliseconds_bucket{${labels},le="10"} ${count * 4}`,
    `mesh_request_duration_milliseconds_bucket{${labels},le="+Inf"} ${count * 4}`,
    "",
  ].join("\n");
}

/** The page of the live mesh shows the rates of a Prometheus, and says when it is away. */
async function checkPage(prometheus: string): Promise<void> {
  await using config = await makeConfigDir();
  await config.write(
    "web.yaml",
    serviceEntry("web", ["web.test"], { number: 80, protocol: "HTTP" }, []),
  );
  await using daemon = await startDaemon({
    configDir: config.path,
    env: { MESH_PROMETHEUS_ADDRESS: prometheus },
  });
  interface Shown {
    readonly traffic: { readonly edges: readonly TrafficEdge[] };
  }
  const { traffic: { edges: [edge] } } = await eventually("the edge", async () => {
    const shown = await daemon.debug<Shown>("services");
    return shown.traffic.edges.length > 0 && shown;
  }, 60_000);
  assert.deepEqual([edge!.from, edge!.to], ["front.shop", "web.test"]);
  assert.ok(edge!.rate > 0 && Math.abs(edge!.errors - 0.25) < 0.02, JSON.stringify(edge));
  const headers = { accept: "text/html" };
  const html = await (await fetch(`${daemon.http}/debug/services`, { headers })).text();
  assert.match(html, /front\.shop<\/th>.*\/debug\/services\/test\/web\.test/);
  assert.match(html, /2\d %<\/span>/);
}

Deno.test({
  name: `metrics of a workload${hasPrometheus ? "" : " [needs prometheus]"}`,
  ignore: !hasPrometheus,
  fn: async () => {
    const dir = await Deno.makeTempDir({ prefix: "mesh-metrics-" });
    let questions = 0;
    await using server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      () => new Response(metricsPage(questions++)),
    );
    await Deno.writeTextFile(
      `${dir}/prometheus.yml`,
      "global: {scrape_interval: 1s}\nscrape_configs:\n- job_name: mesh\n  static_configs:\n" +
        `  - targets: ["127.0.0.1:${server.addr.port}"]\n`,
    );
    const port = freePort();
    try {
      await using _ = startCommand("prometheus", [
        `--config.file=${dir}/prometheus.yml`,
        `--storage.tsdb.path=${dir}/data`,
        `--web.listen-address=127.0.0.1:${port}`,
      ]);
      const ask = (...args: string[]) =>
        meshctl(["x", "metrics", ...args, "--prometheus", `http://127.0.0.1:${port}`]);
      let row: readonly string[] = [];
      await eventually("rates", async () => {
        const { out } = await ask("web.shop", "none.shop");
        row = out.split("\n")[1]?.split(/ {2,}/) ?? [];
        return Number(row[1]) > 0;
      }, 90_000);
      const [name, total, errors, p50, , p99] = row;
      assert.equal(name, "web.shop");
      assert.ok(Math.abs(Number(errors) / Number(total) - 0.25) < 0.02, row.join(" "));
      assert.deepEqual([p50, p99], ["8ms", "10ms"]);
      const { out, err } = await ask("none", "-n", "shop");
      assert.match(err, /^Note: no requests to none\.shop are recorded in the last 60 s; check/m);
      assert.match(out, /\nnone\.shop +0\.000 +0\.000 +- +- +-\n$/);
      await checkPage(`http://127.0.0.1:${port}`);
      const wrong = await meshctl([
        "x",
        "metrics",
        "web",
        "--prometheus",
        `http://127.0.0.1:${server.addr.port}`,
      ]);
      assert.equal(wrong.status, 65);
      assert.match(wrong.err, /did not answer as a Prometheus/);
    } finally {
      await Deno.remove(dir, { recursive: true });
    }
  },
});
