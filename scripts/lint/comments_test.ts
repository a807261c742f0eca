import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import plugin from "./plugin.ts";

const FILE = fileURLToPath(new URL("../../lib/mesh/xds/x.ts", import.meta.url));

const CASES: { name: string; source: string; refused: boolean }[] = [
  { name: "an article and the name", source: "/** A queue. */\nclass Queue {}", refused: true },
  {
    name: "another order and form of the words",
    source: "/** The options of a push queue. */\nexport interface PushQueueOptions {}",
    refused: true,
  },
  {
    name: "a verb in another form",
    source: "/** Creates the indexes. */\nexport function createIndexes() {}",
    refused: true,
  },
  {
    name: "several lines, of a property",
    source: "class A {\n  /**\n   * The `port`.\n   */\n  readonly port = 1;\n}",
    refused: true,
  },
  { name: "a unit", source: "/** Its age, ms. */\nconst age = 1;", refused: false },
  { name: "a form", source: "/** `namespace/name`. */\nconst key = 1;", refused: false },
  {
    name: "a reason",
    source: "/** A queue, since pushes wait. */\nclass Queue {}",
    refused: false,
  },
  {
    name: "an error",
    source: "/**\n * Reads.\n * @throws Error */\nfunction read() {}",
    refused: false,
  },
  { name: "no doc comment", source: "// A queue.\nclass Queue {}", refused: false },
  { name: "no comment at all", source: "export class Queue {}", refused: false },
];

for (const { name, source, refused } of CASES) {
  Deno.test(`comments: ${name}: ${refused ? "refused" : "in order"}`, () => {
    const ids = Deno.lint.runPlugin(plugin, FILE, source).map(({ id }) => id);
    assert.deepEqual(ids, refused ? ["mesh/comments"] : []);
  });
}
