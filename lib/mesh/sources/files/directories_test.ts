import assert from "node:assert/strict";
import type { ConfigObject } from "../../model/mod.ts";
import { type Directories, startDirectories } from "./directories.ts";
import {
  documents,
  entry,
  eventually,
  intakeOf,
  QUICK,
} from "../../../../tests/support/file_source_fixture.ts";

/** Two directories, and what was changes of them. */
async function withTwo(
  files: Readonly<Record<string, string>>,
  steps: (at: string, changes: string[], open: Open) => Promise<void>,
): Promise<void> {
  const at = await Deno.makeTempDir({ prefix: "mesh-directories-" });
  for (const dir of ["a", "b"]) await Deno.mkdir(`${at}/${dir}`);
  for (const [path, text] of Object.entries(files)) await Deno.writeTextFile(`${at}/${path}`, text);
  const changes: string[] = [];
  const started: Directories[] = [];
  try {
    await steps(at, changes, async (...dirs) => {
      const directories = await startDirectories({
        dirs: dirs.map((dir) => `${at}/${dir}`),
        home: `${at}/a`,
        timing: QUICK,
        retryMs: 5,
        intake: intakeOf(({ upserts, deletes }) =>
          void changes.push(
            [...upserts.map(text), ...deletes.map(({ name }) => `-${name}`)].join(" ").replaceAll(
              at,
              "",
            ),
          )
        ),
      });
      started.push(directories);
      return directories;
    });
  } finally {
    for (const one of started) await one.close();
    await Deno.remove(at, { recursive: true });
  }
}

type Open = (...dirs: readonly string[]) => Promise<Directories>;

function text({ meta }: ConfigObject): string {
  return `${meta.name}@${meta.generation} ${meta.origin.file}`;
}

const serving = (directories: Directories, at: string): string[] =>
  directories.objects().map((one) => text(one).replace(at, ""));

Deno.test("directories: the earlier one precedes the later, whose objects replace removed ones", async () => {
  await withTwo({
    "a/x.yaml": entry("one"),
    "b/x.yaml": documents(entry("one"), entry("two")),
  }, async (at, changes, open) => {
    const both = await open("a", "b");
    assert.deepEqual(changes, ["one@1 x.yaml two@1 /b/x.yaml"]);
    const problems = () => both.problems().map(({ file, code, message }) => [file, code, message]);
    assert.deepEqual(problems(), [[
      `${at}/b/x.yaml`,
      "duplicate-object",
      "ServiceEntry default/one is already defined at x.yaml:1",
    ]]);
    await Deno.remove(`${at}/a/x.yaml`);
    await eventually(() => assert.deepEqual(changes.slice(1), ["one@2 /b/x.yaml"]));
    assert.deepEqual(problems(), []);
    await Deno.writeTextFile(`${at}/a/y.yaml`, entry("one"));
    await eventually(() => assert.deepEqual(changes.slice(2), ["one@3 y.yaml"]));
    await Deno.remove(`${at}/b/x.yaml`);
    await eventually(() => assert.deepEqual(changes.slice(3), ["-two"]));
    assert.deepEqual(serving(both, at), ["one@3 y.yaml"]);
  });
});

Deno.test("directories: others may be followed, in another order", async () => {
  await withTwo(
    { "a/x.yaml": entry("one"), "b/x.yaml": entry("one") },
    async (at, changes, open) => {
      const followed = await open("a");
      await followed.follow([`${at}/a`, `${at}/b`, `${at}/a`]);
      assert.deepEqual(changes, ["one@1 x.yaml"], "what is hidden is no news");
      await followed.follow([`${at}/b`, `${at}/a`]);
      assert.deepEqual(serving(followed, at), ["one@2 /b/x.yaml"]);
      await followed.follow([`${at}/a`]);
      assert.deepEqual(serving(followed, at), ["one@3 x.yaml"]);
      assert.deepEqual(followed.problems(), []);
      await followed.follow([]);
      assert.deepEqual(changes.slice(1), ["one@2 /b/x.yaml", "one@3 x.yaml", "-one"]);
    },
  );
});

Deno.test("directories: one that is not there ends the start, later it is awaited", async () => {
  await withTwo({ "a/x.yaml": entry("one") }, async (at, changes, open) => {
    await assert.rejects(open("a", "c"), { code: "config-dir" });
    changes.length = 0;
    const followed = await open("a");
    await followed.follow([`${at}/a`, `${at}/c`]);
    assert.deepEqual(followed.problems().map(({ file, code }) => [file, code]), [
      [`${at}/c`, "config-dir"],
    ]);
    await Deno.mkdir(`${at}/c`);
    await Deno.writeTextFile(`${at}/c/x.yaml`, entry("two"));
    await eventually(() => assert.deepEqual(changes.slice(1), ["two@1 /c/x.yaml"]));
    assert.deepEqual(followed.problems(), []);
  });
});
