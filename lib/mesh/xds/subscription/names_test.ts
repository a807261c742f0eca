import assert from "node:assert/strict";
import fc from "fast-check";
import { nameSet, nameTable } from "./names.ts";

Deno.test("sets over one table behave as sets, and the table knows exactly what they hold", () => {
  const operation = fc.record({
    set: fc.nat(2),
    name: fc.nat(80).map(String),
    do: fc.constantFrom("add", "delete", "clear", "adopt", "addAll"),
  });
  fc.assert(fc.property(fc.array(operation, { maxLength: 200 }), (operations) => {
    const table = nameTable();
    const sets = [0, 1, 2].map(() => nameSet(table));
    const lists = [["1", "2", "1"], ["2", "70"], ["3", "4"], []];
    const model = [0, 1, 2].map(() => new Set<string>());
    for (const { set, name, do: action } of operations) {
      const [real, want] = [sets[set]!, model[set]!];
      if (action === "add") assert.equal(real.add(name), !want.has(name) && !!want.add(name));
      else if (action === "delete") assert.equal(real.delete(name), want.delete(name));
      else if (action === "adopt" && want.size === 0) {
        const list = lists[Number(name) % lists.length]!;
        real.adopt(list);
        for (const one of list) want.add(one);
      } else if (action === "addAll") {
        const list = lists[Number(name) % lists.length]!;
        real.addAll(list);
        for (const one of list) want.add(one);
      } else if (name === "7") [real, want].forEach((one) => one.clear());
      assert.equal(real.has(name), want.has(name));
      assert.equal(real.size, want.size);
    }
    sets.forEach((set, i) => assert.deepEqual([...set].sort(), [...model[i]!].sort()));
    assert.equal(table.size, new Set(model.flatMap((set) => [...set])).size);
  }));
});
