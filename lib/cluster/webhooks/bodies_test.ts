import assert from "node:assert/strict";
import { boundBodies } from "./bodies.ts";

/** Bodies of addresses; those given up are noted. */
function scene() {
  const given: string[] = [];
  const bodies = boundBodies({ one: 50, all: 100 });
  const begin = (name: string) => bodies.begin(name.split("-")[0]!, () => given.push(name));
  return { bodies, given, begin };
}

Deno.test("a body has a bound of its own", () => {
  const { begin, bodies } = scene();
  const body = begin("a-1");
  assert.equal(body.take(50), undefined);
  assert.equal(body.take(1), 413);
  body.free();
  assert.equal(bodies.bytes, 0);
});

Deno.test("slow bodies of an address give way to a later one of the same, the oldest first", () => {
  const { begin, given } = scene();
  for (const name of ["a-1", "a-2", "a-3"]) assert.equal(begin(name).take(33), undefined);
  const honest = begin("a-4");
  assert.equal(honest.take(10), undefined);
  assert.deepEqual(given, ["a-1"]);
  assert.equal(honest.take(30), undefined);
  assert.deepEqual(given, ["a-1", "a-2"]);
});

Deno.test("the address that holds the most gives way, and a body given up takes no more", () => {
  const { begin, given, bodies } = scene();
  const first = begin("a-1");
  first.take(45);
  begin("a-2").take(45);
  const other = begin("b-1");
  assert.equal(other.take(40), undefined);
  assert.deepEqual(given, ["a-1"]);
  assert.equal(first.take(1), 503);
  first.free();
  assert.equal(bodies.bytes, 85);
});

Deno.test("a body without bytes is not given up: it would free nothing", () => {
  const { begin, given } = scene();
  begin("a-empty");
  begin("a-1").take(50);
  begin("a-2").take(50);
  begin("a-3").take(1);
  assert.deepEqual(given, ["a-1"]);
});
