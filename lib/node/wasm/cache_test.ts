import assert from "node:assert/strict";
import { eventually } from "../../../scripts/harness/mod.ts";
import { type Modules, type ModulesOptions, openModules } from "./cache.ts";
import {
  imageAnswers,
  MODULE,
  serve,
  type TestServer,
} from "../../../tests/support/module_registry.ts";

const OTHER = new Uint8Array([...MODULE, 0, 1, 0]);

/** Runs with modules from a server whose image and file can be replaced. */
async function withModules(
  run: (modules: Modules, server: TestServer, set: (module: Uint8Array) => void) => Promise<void>,
  more: Partial<ModulesOptions> = {},
): Promise<void> {
  const folder = await Deno.makeTempDir();
  let module: Uint8Array = MODULE;
  await using server = serve(() => ({
    ...imageAnswers(module, "artifact"),
    ...imageAnswers(module, "artifact", "latest"),
    "/file": new Uint8Array(module),
  }));
  const modules = await openModules({
    folder: `${folder}/wasm`,
    expiryMs: 3_600_000,
    purgeMs: 3_600_000,
    maxRetries: 0,
    timeoutMs: 60_000,
    insecure: ["*"],
    ...more,
  });
  try {
    await run(modules, server, (next) => module = next);
  } finally {
    modules.stop();
    await Deno.remove(folder, { recursive: true });
  }
}

const NONE = { sha256: "", pull: undefined, secret: undefined } as const;

Deno.test("a module is fetched once, also by those who ask at the same time", () =>
  withModules(async (modules, server) => {
    const request = { ...NONE, url: `http://${server.host}/file` };
    const files = await Promise.all([1, 2, 3].map(() => modules.file(request)));
    assert.equal(new Set(files).size, 1);
    assert.deepEqual(await Deno.readFile(files[0]!), MODULE);
    await modules.file(request);
    assert.equal(server.asked.length, 1);
  }));

const PULLS = [
  ["file", undefined, "old"],
  ["file", "always", "new"],
  ["plugins/auth:1", undefined, "old"],
  ["plugins/auth:1", "always", "new"],
  ["plugins/auth", undefined, "new"],
  ["plugins/auth", "if-not-present", "old"],
] as const;

for (const [name, pull, expected] of PULLS) {
  Deno.test(`${name} with the pull policy ${pull} gives the ${expected} module`, () =>
    withModules(async (modules, server, set) => {
      const scheme = name === "file" ? "http" : "oci";
      const request = { ...NONE, url: `${scheme}://${server.host}/${name}`, pull };
      await modules.file(request);
      set(OTHER);
      const bytes = await Deno.readFile(await modules.file(request));
      assert.deepEqual(bytes, expected === "old" ? MODULE : OTHER);
    }));
}

Deno.test("an image that did not change is not fetched again", () =>
  withModules(async (modules, server) => {
    const request = { ...NONE, url: `oci://${server.host}/plugins/auth` };
    await modules.file(request);
    await modules.file(request);
    const blobs = server.asked.filter(({ path }) => path.includes("/blobs/"));
    assert.equal(blobs.length, 1);
  }));

Deno.test("a module of a pull secret is not given to who has another secret", () =>
  withModules(async (modules, server) => {
    const request = { ...NONE, url: `oci://${server.host}/plugins/auth:1` };
    await modules.file({ ...request, secret: "{}" });
    const before = server.asked.length;
    await modules.file({ ...request, secret: "{} " });
    assert.ok(server.asked.length > before);
  }));

Deno.test("a failed fetch is tried again by the next request", () =>
  withModules(async (modules, server, set) => {
    const request = { ...NONE, url: `http://${server.host}/file` };
    set(new Uint8Array([1, 2, 3]));
    await assert.rejects(modules.file(request), /is not a WebAssembly module/);
    set(MODULE);
    await modules.file(request);
  }));

Deno.test("a module that nobody uses is removed, and fetched again when it is asked for", () =>
  withModules(async (modules, server) => {
    const request = { ...NONE, url: `http://${server.host}/file` };
    const file = await modules.file(request);
    await eventually("the file to be removed", () => Deno.stat(file).then(() => false, () => true));
    await assert.rejects(Deno.stat(file), Deno.errors.NotFound);
    assert.equal(await modules.file(request), file);
    assert.equal(server.asked.length, 2);
  }, { expiryMs: 1, purgeMs: 5 }));

Deno.test("modules of an earlier run stay if they are to be kept, and only whole ones", () =>
  withModules(async (modules, { host }) => {
    const file = await modules.file({ ...NONE, url: `http://${host}/file` });
    const folder = file.slice(0, file.lastIndexOf("/"));
    const options = { folder, expiryMs: 3_600_000, purgeMs: 3_600_000, maxRetries: 0 };
    const open = (keep: boolean) =>
      openModules({ ...options, timeoutMs: 60_000, insecure: ["*"], keep });
    await Deno.writeTextFile(`${folder}/${"0".repeat(64)}.wasm`, "damaged");
    await Deno.writeTextFile(`${folder}/${"1".repeat(64)}.wasm.next`, "partial");
    const names = () => [...Deno.readDirSync(folder)].map(({ name }) => `${folder}/${name}`);
    (await open(true)).stop();
    assert.deepEqual(names(), [file]);
    (await open(false)).stop();
    assert.deepEqual(names(), []);
  }));
