import assert from "node:assert/strict";
import { overlapsBefore, subsetOfHosts } from "./host_overlaps.ts";

/** The plain definition: two hosts, either with a leading wildcard, have names in common. */
function overlap(a: string, b: string): boolean {
  const [x, y] = [a.toLowerCase(), b.toLowerCase()];
  const [restX, restY] = [x.replace(/^\*/, ""), y.replace(/^\*/, "")];
  if (x === restX && y === restY) return x === y;
  if (x !== restX && y !== restY) return restX.endsWith(restY) || restY.endsWith(restX);
  const [wild, exact] = x === restX ? [restY, x] : [restX, y];
  return exact.length > wild.length && exact.endsWith(wild);
}

const NAMES = ["a", "*", "A.b", "a.b", "*.b", "*.a.b", "c.a.b", "*a.b", "*.c", ".b", "xa.b", "b"];

Deno.test("overlaps are those of each pair, the first one is named", () => {
  let state = 1;
  const next = (below: number) => (state = state * 48271 % 2147483647) % below;
  for (let round = 0; round < 3000; round++) {
    const hosts = Array.from({ length: next(8) }, () => NAMES[next(NAMES.length)]!);
    const expected = hosts.map((host, i) => {
      const first = hosts.slice(0, i).findIndex((before) => overlap(before, host));
      return first < 0 ? undefined : first;
    });
    assert.deepEqual(overlapsBefore(hosts), expected, hosts.join());
  }
});

Deno.test("a subset of a host is the host, or a name in a wildcard", () => {
  const isWithin = subsetOfHosts(["a.b", "*.C.d"]);
  const within = ["A.b", "a.b", "x.c.d", "*.c.d", "*.x.c.d"];
  for (const name of within) assert.ok(isWithin(name), name);
  for (const name of ["b", "c.d", "x.a.b", "*"]) assert.ok(!isWithin(name), name);
  assert.ok(subsetOfHosts(["*"])("anything"));
});

Deno.test("50,000 hosts take no time that grows with their square", () => {
  const hosts = Array.from({ length: 50_000 }, (_, i) => `${i % 9 === 0 ? "*." : ""}h${i}.test`);
  const begin = performance.now();
  assert.ok(overlapsBefore(hosts).every((one) => one === undefined));
  const isWithin = subsetOfHosts(hosts);
  assert.ok(hosts.every(isWithin));
  // 100 ms on an idle machine; comparing each with each takes minutes.
  assert.ok(performance.now() - begin < 5_000);
});
