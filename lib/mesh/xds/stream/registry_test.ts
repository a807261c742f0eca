import assert from "node:assert/strict";
import type { Collection, View } from "../../graph/mod.ts";
import { registry } from "./registry.ts";

function collection(name: string): Collection & { users: number } {
  const made = {
    name,
    users: 0,
    retain: () => void made.users++,
    release: () => void made.users--,
  };
  return made as unknown as Collection & { users: number };
}

function view(...layers: Collection[]): View {
  return { layers } as unknown as View;
}

Deno.test("a publication finds the views of changed collections and their subscribers", () => {
  const [shared, one, two] = ["shared", "one", "two"].map(collection) as [
    ReturnType<typeof collection>,
    ReturnType<typeof collection>,
    ReturnType<typeof collection>,
  ];
  const [first, second] = [view(one, shared), view(two, shared)];
  const all = registry<string>();
  all.look("a", first);
  all.look("b", first);
  all.look("c", second);
  const concerned = (...changed: Collection[]) =>
    [...all.concerned(new Set(changed))].map((
      [over, streams],
    ) => [over === first ? 1 : 2, streams]);
  assert.deepEqual(concerned(one), [[1, ["a", "b"]]]);
  assert.deepEqual(concerned(shared), [[1, ["a", "b"]], [2, ["c"]]]);
  assert.deepEqual(concerned(two, shared), [[2, ["c"]], [1, ["a", "b"]]]);
  assert.deepEqual(concerned(collection("other")), []);

  all.look("a", first);
  all.leave("a", first);
  assert.deepEqual(concerned(one), [[1, ["a", "b"]]], "looked at twice, left once");
  all.leave("a", first);
  all.leave("b", first);
  assert.deepEqual(concerned(one), []);
  assert.deepEqual([shared.users, one.users, two.users], [1, 0, 1], "kept while looked at");
  all.leave("c", second);
  assert.deepEqual([shared.users, two.users, all.views], [0, 0, 0]);
});
