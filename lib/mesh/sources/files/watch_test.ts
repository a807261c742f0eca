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
    const reported: (string | undefined)[] = [];
    let heard = () => {};
    const watch = watchTree(dir, diskIo, (path) => {
      reported.push(path);
      heard();
    });
    const hears = async (path: string | undefined) => {
      while (!reported.includes(path)) await new Promise<void>((resolve) => heard = resolve);
    };
    await watch.refresh();
    reported.length = 0;
    await Deno.symlink("two", `${base}/next`);
    await Deno.rename(`${base}/next`, dir);
    // Another directory may hold anything: no path is named.
    await hears(undefined);
    await watch.refresh();
    await Deno.writeTextFile(`${dir}/a.yaml`, "");
    await hears("a.yaml");
    assert.deepEqual(watched, [`${base}/one`, `${base}/two`]);
    watch.close();
  });
  await Deno.remove(base, { recursive: true });
});
