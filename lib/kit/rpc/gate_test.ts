import assert from "node:assert/strict";
import { createGate, gateLimits } from "./gate.ts";

Deno.test("a connection that has been silent for a second makes way for a new one of its address", () => {
  let now = 0;
  const gate = createGate(gateLimits({ unadmittedOfAddress: 2 }), () => now);
  const cut: string[] = [];
  const enter = (peer: string) => gate.enter(peer, () => void cut.push(peer));
  const first = enter("10.0.0.1:1");
  assert.ok(first && enter("10.0.0.1:2"));
  assert.equal(enter("10.0.0.1:3"), undefined, "both may have a request under way");
  assert.ok(enter("10.0.0.2:1"), "another address has its own share");
  now = 999;
  assert.equal(enter("10.0.0.1:3"), undefined);
  now = 1000;
  assert.ok(enter("10.0.0.1:3"));
  assert.deepEqual(cut, ["10.0.0.1:1"]);
  first.left();
  assert.equal(enter("10.0.0.1:4")?.peer, "10.0.0.1:4", "the second one is as old");
  assert.equal(enter("10.0.0.1:5"), undefined, "the others are new");
  gate.close();
});

Deno.test("a connection with a request is not silent", () => {
  let now = 0;
  const gate = createGate(gateLimits({ unadmittedOfAddress: 1 }), () => now);
  const busy = gate.enter("10.0.0.1:1", () => assert.fail("it is cut"))!;
  busy.requested(1);
  now = 5000;
  assert.equal(gate.enter("10.0.0.1:2", () => {}), undefined);
  busy.requested(-1);
  busy.left();
  assert.ok(gate.enter("10.0.0.1:2", () => {}));
  gate.close();
});

Deno.test("an address that opens connections too fast is refused until time has passed", () => {
  let now = 0;
  const gate = createGate(gateLimits({ unadmittedOfAddress: 2000 }), () => now);
  let ports = 0;
  const visit = (address: string) => {
    const visitor = gate.enter(`${address}:${++ports}`, () => {});
    visitor?.left();
    return visitor !== undefined;
  };
  const visits = (address: string, count: number) =>
    Array.from({ length: count }, () => visit(address)).filter(Boolean).length;
  assert.equal(visits("10.0.0.1", 5000), 2000, "as many at once as it may have before admission");
  assert.equal(visits("10.0.0.2", 500), 500, "another address has its own rate");
  now += 1000;
  assert.equal(visits("10.0.0.1", 5000), 500, "a quarter of them in each second");
  now += 4000;
  assert.equal(visits("10.0.0.1", 5000), 2000);
  gate.close();
});
