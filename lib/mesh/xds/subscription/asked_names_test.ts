import assert from "node:assert/strict";
import fc from "fast-check";
import { AskedNames } from "./asked_names.ts";

const LISTS: readonly (readonly string[])[] = [["1", "2", "1"], ["2", "70"], []];

Deno.test("asked names behave as sets, whichever lists they share", () => {
  const operation = fc.record({
    set: fc.nat(2),
    name: fc.nat(80).map(String),
    do: fc.constantFrom("add", "delete", "take", "adopt"),
  });
  fc.assert(fc.property(fc.array(operation, { maxLength: 100 }), (operations) => {
    const sets = [0, 1, 2].map(() => new AskedNames());
    const model = [0, 1, 2].map(() => new Set<string>());
    for (const { set, name, do: action } of operations) {
      const [real, want] = [sets[set]!, model[set]!];
      if (action === "add") {
        real.add(name);
        want.add(name);
      } else if (action === "delete") {
        real.delete(name);
        want.delete(name);
      } else if (action === "take") {
        assert.deepEqual(new Set(real.take()), want);
        want.clear();
      } else {
        const list = LISTS[Number(name) % LISTS.length]!;
        real.adopt(list);
        for (const one of list) want.add(one);
      }
      assert.equal(real.has(name), want.has(name));
      assert.equal(real.size, want.size);
      if (real.list !== undefined) assert.deepEqual(new Set(real.list), want);
    }
    sets.forEach((real, i) => assert.deepEqual(new Set(real), model[i]));
  }));
});

Deno.test("taken names stay as they were, and a list has one set", () => {
  const list = ["a", "b"];
  const [one, other] = [new AskedNames(), new AskedNames()];
  for (const names of [one, other]) names.adopt(list);
  const taken = one.take();
  assert.equal(taken, other.take());
  one.add("c");
  assert.deepEqual([...taken], list);
  other.adopt(list);
  other.delete("a");
  assert.equal(other.list, undefined);
  assert.deepEqual([...other], ["b"]);
  assert.deepEqual([...taken], list);
});
