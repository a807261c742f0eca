import assert from "node:assert/strict";
import { prefersOpenMetrics } from "./expose.ts";
import { counter, expose, gauge, histogram, startProcessMetrics } from "./mod.ts";

const OPEN = "application/openmetrics-text;version=1.0.0";

/** The lines of the exposition for one metric. */
async function linesOf(name: string, accept?: string): Promise<string[]> {
  const { body } = await expose(accept);
  return body.split("\n").filter((line) => line.replace(/^# \w+ /, "").startsWith(name));
}

Deno.test("sums keep their names in both formats", async () => {
  const pushes = counter({ name: "test_pushes", help: "Pushes.", labels: ["type"] });
  pushes.inc({ type: "cds" });
  pushes.inc({ type: `a"\\\n` }, 2);
  const samples = [`test_pushes{type="cds"} 1`, `test_pushes{type="a\\"\\\\\\n"} 2`];
  assert.deepEqual(await linesOf("test_pushes"), [
    "# HELP test_pushes Pushes.",
    "# TYPE test_pushes counter",
    ...samples,
  ]);
  assert.deepEqual(await linesOf("test_pushes", OPEN), [
    "# HELP test_pushes Pushes.",
    "# TYPE test_pushes unknown",
    ...samples,
  ]);
});

Deno.test("a sum that ends in _total is a counter in OpenMetrics", async () => {
  counter({ name: "test_seen_total", help: "Seen." }).inc(3);
  assert.deepEqual(await linesOf("test_seen", OPEN), [
    "# HELP test_seen Seen.",
    "# TYPE test_seen counter",
    "test_seen_total 3",
  ]);
  const { body, contentType } = await expose(OPEN);
  assert(body.endsWith("\n# EOF\n"));
  assert.match(contentType, /^application\/openmetrics-text; version=1\.0\.0/);
});

Deno.test("gauges are set, moved, removed and collected", async () => {
  const depth = gauge({ name: "test_depth", help: "d", labels: ["queue"] });
  depth.set({ queue: "a" }, 4);
  depth.inc({ queue: "a" });
  depth.dec({ queue: "a" }, 2);
  depth.set({ queue: "b" }, 1);
  depth.remove({ queue: "b" });
  assert.deepEqual((await linesOf("test_depth")).slice(2), [`test_depth{queue="a"} 3`]);

  let keys = ["x", "y"];
  gauge({
    name: "test_collected",
    help: "c",
    labels: ["key"],
    collect: (self) => keys.forEach((key) => self.set({ key }, 1)),
  });
  assert.equal((await linesOf("test_collected")).length, 4);
  keys = ["y"];
  assert.deepEqual((await linesOf("test_collected")).slice(2), [`test_collected{key="y"} 1`]);

  gauge({ name: "test_returned", help: "r", collect: () => Promise.resolve(7) });
  assert.deepEqual((await linesOf("test_returned")).slice(2), ["test_returned 7"]);
});

Deno.test("histograms count into their buckets; bounds are decimal in OpenMetrics", async () => {
  const took = histogram({ name: "test_took", help: "t", buckets: [0.5, 1] });
  took.observe(0.2);
  took.observe(3);
  assert.deepEqual((await linesOf("test_took", OPEN)).slice(2), [
    `test_took_bucket{le="0.5"} 1`,
    `test_took_bucket{le="1.0"} 1`,
    `test_took_bucket{le="+Inf"} 2`,
    "test_took_sum 3.2",
    "test_took_count 2",
  ]);
});

Deno.test("a metric declared again is the same one, unless it disagrees", async () => {
  counter({ name: "test_again", help: "a" }).inc();
  counter({ name: "test_again", help: "a" }).inc();
  assert.deepEqual((await linesOf("test_again")).slice(2), ["test_again 2"]);
  assert.throws(() => gauge({ name: "test_again", help: "a" }), /test_again/);
  assert.throws(() => counter({ name: "test_again", help: "a", labels: ["x"] }), /test_again/);
});

const ACCEPT: [header: string, open: boolean][] = [
  ["", false],
  ["*/*", false],
  ["text/plain", false],
  [OPEN, true],
  [
    `${OPEN},application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5`,
    true,
  ],
  [`text/plain, ${OPEN};q=0.5`, false],
  [`${OPEN};q=0`, false],
];

for (const [header, open] of ACCEPT) {
  Deno.test(`Accept ${JSON.stringify(header)} gives ${open ? "OpenMetrics" : "text"}`, () => {
    assert.equal(prefersOpenMetrics(header), open);
  });
}

Deno.test("a delay of the event loop has no more processor time than it is long", async () => {
  const stop = startProcessMetrics();
  try {
    let cpu = 0;
    while (cpu === 0) {
      for (const end = performance.now() + 30; performance.now() < end;);
      await new Promise((resolve) => setTimeout(resolve));
      const { body: text } = await expose();
      const value = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1]);
      cpu = value("process_event_loop_lag_cpu_seconds");
      assert(cpu <= value("process_event_loop_lag_seconds"));
    }
  } finally {
    stop();
  }
});

Deno.test("the process metrics have CPU time, memory and start time", async () => {
  const stop = startProcessMetrics();
  try {
    const value = async (name: string) => Number((await linesOf(`${name} `))[2]?.split(" ")[1]);
    const first = await value("process_cpu_seconds_total");
    for (const end = performance.now() + 30; performance.now() < end;);
    await expose();
    assert(await value("process_cpu_seconds_total") > first);
    assert(await value("process_resident_memory_bytes") > 1e6);
    assert(Math.abs(await value("process_start_time_seconds") - Date.now() / 1000) < 3600);
  } finally {
    stop();
  }
});
