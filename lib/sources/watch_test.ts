import assert from "node:assert/strict";
import { diskIo } from "./io.ts";
import { watchTree } from "./watch.ts";

/** Runs with a record of what the system is asked to watch. */
async function watching(work: (watched: string[]) => Promise<void>): Promise<void> {
  const watched: string[] = [];
  const original = Deno.watchFs;
  Deno.watchFs = (paths, options) => {
    watched.push(...[paths].flat());
    return original(paths, options);
  };
  try {
    await work(watched);
  } finally {
    Deno.watchFs = original;
  }
}

Deno.test("a directory is watched, and not what lies beside it, which may be written all the time", async () => {
  const base = await Deno.makeTempDir();
  const dir = `${base}/current`;
  for (const name of ["one", "two"]) await Deno.mkdir(`${base}/${name}`);
  await Deno.symlink("one", dir);
  await watching(async (watched) => {
    let told = Promise.withResolvers<string | undefined>();
    const watch = watchTree(dir, diskIo, (path) => told.resolve(path));
    await watch.refresh();
    told = Promise.withResolvers();
    await Deno.symlink("two", `${base}/next`);
    await Deno.rename(`${base}/next`, dir);
    assert.equal(await told.promise, undefined, "another directory may hold anything");
    await watch.refresh();
    told = Promise.withResolvers();
    await Deno.writeTextFile(`${dir}/a.yaml`, "");
    assert.equal(await told.promise, "a.yaml");
    assert.deepEqual(watched, [`${base}/one`, `${base}/two`]);
    watch.close();
  });
  await Deno.remove(base, { recursive: true });
});
