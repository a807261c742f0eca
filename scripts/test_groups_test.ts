import assert from "node:assert/strict";
import fc from "fast-check";
import { groupsOf, writeGroups } from "./test_groups.ts";
import { join } from "./paths.ts";

Deno.test("test groups: neighbours share a group, files alone come first", () => {
  assert.deepEqual(groupsOf(["a", "b", "c", "d", "e"], 2), [["a"], ["b", "c"], ["d", "e"]]);
  assert.deepEqual(groupsOf(["a", "b", "c"], 2, (file) => file === "b"), [["b"], ["a", "c"]]);
  assert.deepEqual(groupsOf([], 3), []);
});

Deno.test("test groups: each file is in one group, in order, and no group is too large", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string()), fc.integer({ min: 1, max: 9 }), (files, size) => {
      const groups = groupsOf(files, size);
      assert.deepEqual(groups.flat(), files);
      for (const group of groups) assert.ok(group.length > 0 && group.length <= size);
    }),
  );
});

Deno.test("test groups: a module imports its files, a file alone is itself", async () => {
  const dir = await Deno.makeTempDir();
  const files = ["a_test.ts", "b_test.ts", "c_test.ts"].map((name) => join(dir, name));
  for (const file of files) await Deno.writeTextFile(file, "");
  await Deno.writeTextFile(files[2]!, "// @isolate: it changes globals\n");
  const [alone, group = ""] = await writeGroups(files, 4, join(dir, "groups"));
  const imports = files.slice(0, 2).map((file) => `import "file://${file}";\n`).join("");
  assert.equal(await Deno.readTextFile(group), imports);
  assert.equal(alone, files[2]);
  await Deno.remove(dir, { recursive: true });
});
