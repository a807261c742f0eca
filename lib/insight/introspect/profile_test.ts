import assert from "node:assert/strict";
import { ask, withFacility } from "../../../tests/support/introspection_fixture.ts";

/** Generates work for the samplers. */
function spin(ms: number): number {
  const end = performance.now() + ms;
  let kept: unknown[] = [];
  while (performance.now() < end) {
    if (kept.length > 10_000) kept = [];
    kept.push({ text: String(kept.length) });
  }
  return kept.length;
}

/** Busy loop with pauses for the listener, until an answer arrives. */
async function spinUntil<T>(answer: Promise<T>): Promise<T> {
  let waiting = true;
  const done = answer.finally(() => waiting = false);
  while (waiting) {
    spin(20);
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  return await done;
}

Deno.test("a CPU profile names the functions that ran, and no second one runs beside it", () =>
  withFacility(async (facility) => {
    const taken = ask(facility, "GET /debug/pprof/profile?seconds=1");
    let second = await ask(facility, "GET /debug/pprof/allocs?seconds=x");
    assert.equal(second.status, 400);
    second = await ask(facility, "GET /debug/pprof/allocs?seconds=1");
    assert.deepEqual([second.status, second.body], [409, "another profile is being taken\n"]);
    const { status, headers, body } = await spinUntil(taken);
    assert.equal(status, 200);
    assert.match(headers.get("content-disposition") ?? "", /attachment; filename=".*\.cpuprofile"/);
    const { nodes, samples } = JSON.parse(body);
    assert(samples.length > 0);
    const names = nodes.map((n: { callFrame: { functionName: string } }) =>
      n.callFrame.functionName
    );
    assert(names.includes("spin"));
  }));

Deno.test("an allocation profile names the functions that took memory", () =>
  withFacility(async (facility) => {
    const { status, body } = await spinUntil(ask(facility, "GET /debug/pprof/allocs?seconds=1"));
    assert.equal(status, 200);
    assert(body.includes(`"functionName":"spin"`));
  }));

Deno.test("a client that leaves ends its profile", () =>
  withFacility(async (facility) => {
    const leaving = new AbortController();
    const left = assert.rejects(
      ask(facility, "GET /debug/pprof/profile?seconds=60", { signal: leaving.signal }),
    );
    while ((await ask(facility, "GET /debug/pprof/allocs?seconds=1")).status !== 409) {
      /* again */
    }
    leaving.abort();
    await left;
    while ((await ask(facility, "GET /debug/pprof/allocs?seconds=1")).status === 409) {
      /* again */
    }
  }));

Deno.test("the heap is given as a snapshot, or as sizes", () =>
  withFacility(async (facility) => {
    const snapshot = await ask(facility, "GET /debug/pprof/heap");
    assert.match(snapshot.headers.get("content-disposition") ?? "", /\.heapsnapshot"/);
    assert(JSON.parse(snapshot.body).snapshot.node_count > 0);
    const sizes = JSON.parse((await ask(facility, "GET /debug/pprof/heap?debug=1")).body);
    assert(sizes.used_heap_size > 0);
  }));

for (const name of ["block", "goroutine", "mutex", "symbol", "threadcreate", "trace"]) {
  Deno.test(`/debug/pprof/${name} says why there is none`, () =>
    withFacility(async (facility) => {
      const { status, body } = await ask(facility, `GET /debug/pprof/${name}`);
      assert.equal(status, 501);
      assert.match(body, new RegExp(`^there is no profile ${name} in this runtime: .{20,}\n$`));
      assert((await ask(facility, "GET /debug/pprof/")).body.includes(name));
    }));
}

const SECONDS = ["0", "61", "-1", "1.5", "", "soon", "1e1"];

for (const seconds of SECONDS) {
  Deno.test(`a profile of ${JSON.stringify(seconds)} seconds is refused`, () =>
    withFacility(async (facility) => {
      const { status, body } = await ask(facility, `GET /debug/pprof/profile?seconds=${seconds}`);
      assert.equal(status, 400);
      assert.match(body, /from 1 to 60/);
    }));
}

Deno.test("a profile that is not known is not found, whatever its name", () =>
  withFacility(async (facility) => {
    for (const name of ["nosuch", "constructor", "toString"]) {
      assert.equal((await ask(facility, `GET /debug/pprof/${name}`)).status, 404);
    }
  }));
