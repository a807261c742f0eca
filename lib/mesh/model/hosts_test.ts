import assert from "node:assert/strict";
import { coveringPatterns, covers, fullHost, intersectHosts } from "./hosts.ts";

Deno.test("short names mean a service of the object's own namespace", () => {
  const cases: [host: string, expected: string][] = [
    ["reviews", "reviews.shop.svc.cluster.local"],
    ["Reviews", "reviews.shop.svc.cluster.local"],
    ["reviews.example.com", "reviews.example.com"],
    ["*", "*"],
    ["*.example.com", "*.example.com"],
  ];
  for (const [host, expected] of cases) {
    assert.equal(fullHost(host, "shop", "cluster.local"), expected);
  }
});

Deno.test("patterns that cover a host come most specific first", () => {
  assert.deepEqual(coveringPatterns("a.b.c"), ["*.b.c", "*.c", "*"]);
  assert.deepEqual(coveringPatterns("*.b.c"), ["*.c", "*"]);
  assert.deepEqual(coveringPatterns("localhost"), ["*"]);
  assert.deepEqual(coveringPatterns("*"), []);
});

Deno.test("a pattern covers names below it and itself, not its bare suffix", () => {
  const cases: [pattern: string, host: string, expected: boolean][] = [
    ["*.b.c", "a.b.c", true],
    ["*.b.c", "x.a.b.c", true],
    ["*.b.c", "*.a.b.c", true],
    ["*.b.c", "b.c", false],
    ["*.b.c", ".b.c", false],
    ["*", "anything", true],
    ["a.b.c", "a.b.c", true],
    ["a.b.c", "*.b.c", false],
  ];
  for (const [pattern, host, expected] of cases) {
    assert.equal(covers(pattern, host), expected, `${pattern} over ${host}`);
    const meet = intersectHosts(host, pattern);
    if (expected) assert.equal(meet, host, `${pattern} meets ${host}`);
  }
  assert.equal(intersectHosts("*.a.com", "*.b.com"), undefined);
});
