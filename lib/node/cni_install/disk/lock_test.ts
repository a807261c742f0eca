import assert from "node:assert/strict";
import { join } from "node:path";
import { lockDirectory } from "./lock.ts";

async function inFolder(run: (dir: string) => Promise<void>): Promise<void> {
  const root = await Deno.makeTempDir({ prefix: "mesh-lock-" });
  try {
    await run(join(root, "net.d"));
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

Deno.test("the lock of a directory is held by one at a time, and leaves no file", () =>
  inFolder(async (dir) => {
    assert.equal(await lockDirectory(dir), undefined, "there is no directory");
    await Deno.mkdir(dir);
    const first = await lockDirectory(dir);
    const waits = Promise.withResolvers<void>();
    const second = lockDirectory(dir, { onWait: () => waits.resolve() });
    await waits.promise;
    first?.[Symbol.dispose]();
    using _ = await second;
    assert.deepEqual([...Deno.readDirSync(dir)], []);
  }));

Deno.test("a directory that was replaced is locked anew", () =>
  inFolder(async (dir) => {
    await Deno.mkdir(dir);
    using _old = await lockDirectory(dir);
    await Deno.rename(dir, `${dir}.old`);
    await Deno.mkdir(dir);
    using lock = await lockDirectory(dir);
    assert.ok(lock);
  }));

Deno.test("a signal ends the wait", () =>
  inFolder(async (dir) => {
    await Deno.mkdir(dir);
    using _ = await lockDirectory(dir);
    const end = new AbortController();
    const onWait = () => end.abort(new Error("asked to end"));
    await assert.rejects(lockDirectory(dir, { signal: end.signal, onWait }), /asked to end/);
  }));

Deno.test("a path that cannot be locked is an error that names it", () =>
  inFolder(async (dir) => {
    await assert.rejects(lockDirectory(join("/dev/null", "x")), /cannot lock the directory/);
    await assert.rejects(lockDirectory(`${dir}\0`), /cannot lock the directory/);
  }));
