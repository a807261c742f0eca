import assert from "node:assert/strict";
import { dirname, join } from "../paths.ts";
import { codeCache } from "./code_cache.ts";

/** Modules of a program: one that is loaded at its start, one that is loaded later. */
const MODULES = {
  "main.js": `import { join } from "node:path"; console.log(join("a", "b"));
await import("./later.js");`,
  "later.js": `export const answer = [..."later"].map((letter) => letter).join("");`,
};

async function write(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  await Deno.mkdir(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    await Deno.writeTextFile(join(folder, name), text);
  }
}

/** Runs a module with a cache that nobody may write, and returns the runtime's own log. */
async function logOf(module: string, cache: string): Promise<string> {
  const run = [Deno.execPath(), "run", "-L=debug", "--no-config", "--cached-only", module];
  // Root may write everything, unless it gives that right up.
  const command = Deno.uid() === 0 ? ["setpriv", "--bounding-set=-all", ...run] : run;
  const { success, stderr } = await new Deno.Command(command[0]!, {
    args: command.slice(1),
    env: { DENO_DIR: cache, NO_COLOR: "1" },
  }).output();
  const log = new TextDecoder().decode(stderr);
  assert.ok(success, log);
  return log;
}

Deno.test("compiled code: the same each time, and used where nobody may write it", async () => {
  const folder = await Deno.makeTempDir({ prefix: "mesh-code-" });
  const [at, into] = [join(folder, "image/program"), join(folder, "image/cache")];
  try {
    const made = [];
    for (const name of ["first", "second"]) {
      const work = join(folder, name);
      const modules = join(work, "modules");
      await write(modules, MODULES);
      const runtime = [Deno.execPath()];
      const entries = await codeCache({ program: "program", modules, at, into, work, runtime });
      made.push(
        await Promise.all(entries.map(async ({ path, data, source, mode }) => ({
          path,
          mode,
          bytes: data ?? await Deno.readFile(source!),
        }))),
      );
    }
    assert.deepEqual(made[0], made[1]);
    await write(at, MODULES);
    for (const { path, mode, bytes } of made[0]!) {
      await Deno.mkdir(dirname(`/${path}`), { recursive: true });
      await Deno.writeFile(`/${path}`, bytes, { mode });
    }
    await Deno.chmod(into, 0o555);
    const log = await logOf(join(at, "main.js"), into);
    for (const name of Object.keys(MODULES)) {
      assert.match(log, new RegExp(`code cache hit for ES module: file://${join(at, name)}`));
    }
    assert.match(log, /code cache hit for ES module: ext:deno_node\/path/);
    assert.doesNotMatch(log, /Updating V8 code cache|Folder readonly/);
  } finally {
    await Deno.chmod(into, 0o755).catch(() => {});
    await Deno.remove(folder, { recursive: true });
  }
});
