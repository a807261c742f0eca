import assert from "node:assert/strict";
import { useEnvironment } from "../../kit/env/mod.ts";
import { documents, manifest, serviceEntry, to } from "../../../tests/support/manifest.ts";
import { startTranslation } from "../../../tests/support/translation_fixture.ts";
import { expose } from "../../kit/metrics/mod.ts";
import { configureLogging } from "../../kit/log/mod.ts";
import { startAnalysis } from "./analysis.ts";

const service = serviceEntry("a", ["a.test"], { number: 80, protocol: "HTTP" }, []);
const routes = (name: string, host: string) =>
  manifest("VirtualService", name, { hosts: [`${name}.test`], http: [to(host)] });
const gateway = manifest("Gateway", "edge", {
  selector: { app: "edge" },
  servers: [{ port: { number: 80, name: "http", protocol: "HTTP" }, hosts: ["*"] }],
});
const FAST = { every: 0, quiet: 0, first: 0, proxies: 0, connected: 0 };

/** An analysis whose slices the test runs one by one. */
function started(yaml: string, timing: object = FAST) {
  const bench = startTranslation();
  bench.set(yaml);
  const sessions: { classKey: string }[] = [];
  const load = { size: 0, pushing: 0 };
  let tick = () => {};
  const running = startAnalysis({
    mesh: bench.translation.mesh,
    sessions: () => sessions,
    load: () => load,
    every: (_, run) => {
      tick = run;
      return () => {};
    },
    timing,
  });
  return {
    bench,
    sessions,
    load,
    running,
    tick: () => tick(),
    /** The messages after enough slices for all work. */
    settled: () => {
      for (let i = 0; i < 50; i++) tick();
      return running.messages().map(({ code, object }) => `${code} ${object?.name}`);
    },
  };
}

Deno.test("analysis in the daemon: messages follow publications", () => {
  const { bench, settled } = started(documents(service, routes("r", "a.test")));
  assert.deepEqual(settled(), []);
  bench.remove("ServiceEntry", "test/a");
  assert.deepEqual(settled(), ["MSH0101 r"]);
  bench.set(service);
  assert.deepEqual(settled(), []);
});

Deno.test("analysis in the daemon: changes wait for the quiet time", () => {
  const { bench, settled } = started(routes("r", "a.test"), { ...FAST, quiet: 1e9, longest: 1e9 });
  assert.deepEqual(settled(), ["MSH0101 r"]);
  bench.set(service);
  assert.deepEqual(settled(), ["MSH0101 r"]);
  const first = started(routes("r", "a.test"), { ...FAST, first: 1e9, connected: 1e9 });
  assert.deepEqual(first.settled(), []);
});

Deno.test("analysis in the daemon: the first round waits while proxies are served", () => {
  const { bench, load, settled } = started(routes("r", "a.test"), { ...FAST, connected: 1e9 });
  load.pushing = 1;
  assert.deepEqual(settled(), []);
  load.pushing = 0;
  assert.deepEqual(settled(), ["MSH0101 r"]);
  load.pushing = 1;
  bench.set(service);
  assert.deepEqual(settled(), []);
});

Deno.test("analysis in the daemon: the first round pauses while proxies are served", () => {
  const timing = { ...FAST, connected: 1e9, slice: 0 };
  const { load, tick, settled } = started(routes("r", "a.test"), timing);
  tick();
  load.size = 1;
  load.pushing = 1;
  assert.deepEqual(settled(), []);
  load.pushing = 0;
  assert.deepEqual(settled(), ["MSH0101 r"]);
});

Deno.test("analysis in the daemon: labels of connected proxies are workloads", () => {
  const { sessions, settled } = started(gateway);
  assert.deepEqual(settled(), ["MSH0101 edge"]);
  sessions.push({ classKey: JSON.stringify({ namespace: "any", labels: { app: "edge" } }) });
  assert.deepEqual(settled(), []);
  sessions.pop();
  assert.deepEqual(settled(), ["MSH0101 edge"]);
});

Deno.test("analysis in the daemon: selectors wait until proxies had time to connect", () => {
  const { settled } = started(gateway, { ...FAST, connected: 1e9 });
  assert.deepEqual(settled(), []);
});

Deno.test("analysis in the daemon: each message is logged once and counted", async () => {
  const dir = await Deno.makeTempDir({ prefix: "mesh-analysis-" });
  const file = `${dir}/log`;
  const end = configureLogging({ targets: [file] });
  try {
    const { bench, settled } = started(routes("r", "a.test"));
    settled();
    bench.set(routes("other", "a.test"));
    settled();
    assert.match(
      (await expose()).body,
      /^mesh_analysis_messages\{code="MSH0101",level="Error"\} 2$/m,
    );
    bench.remove("VirtualService", "test/r");
    bench.remove("VirtualService", "test/other");
    settled();
    assert.doesNotMatch((await expose()).body, /^mesh_analysis_messages\{/m);
    await end();
    const lines = (await Deno.readTextFile(file)).split("\n").filter((line) =>
      line.includes("MSH0101")
    );
    assert.equal(lines.length, 2, lines.join("\n"));
    assert.match(lines[0]!, /\twarn\tanalysis\tVirtualService\/test\/r: .*"a\.test"/);
  } finally {
    await end();
    await Deno.remove(dir, { recursive: true });
  }
});

Deno.test("analysis in the daemon: messages get the lines of fields when they are found", async () => {
  const bench = startTranslation();
  const asked: string[] = [];
  let found = Promise.withResolvers<void>();
  let tick = () => {};
  const { messages } = startAnalysis({
    mesh: bench.translation.mesh,
    sessions: () => [],
    load: () => ({ size: 0, pushing: 0 }),
    every: (_, run) => {
      tick = run;
      return () => {};
    },
    timing: FAST,
    locate: async (fields) => {
      asked.push(...fields.map(({ path }) => path));
      await found.promise;
      return fields.map(() => ({ line: 7, column: 3 }));
    },
  });
  const lines = () => messages().map(({ line, column }) => `${line}:${column}`);
  const settle = () => {
    for (let i = 0; i < 50; i++) tick();
  };
  bench.set(routes("r", "a.test"));
  settle();
  assert.deepEqual([asked, lines()], [["spec.http[0].route[0].destination.host"], ["1:1"]]);
  found.resolve();
  for (let i = 0; i < 10; i++) await Promise.resolve();
  assert.deepEqual(lines(), ["7:3"]);
  // Positions that come after a later round are not used.
  found = Promise.withResolvers();
  bench.set(routes("other", "a.test"));
  settle();
  bench.set(service);
  settle();
  found.resolve();
  for (let i = 0; i < 10; i++) await Promise.resolve();
  assert.deepEqual(lines(), []);
});

Deno.test("MESH_ANALYSIS=false looks for nothing", () => {
  using _ = useEnvironment({ MESH_ANALYSIS: "false" });
  assert.deepEqual(started(routes("r", "a.test")).settled(), []);
});
