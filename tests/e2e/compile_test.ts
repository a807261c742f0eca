/**
 * The built programs run: each prints its build facts; the daemon becomes ready and serves.
 *
 * @module
 */
import assert from "node:assert/strict";
import { compile, programs } from "../../scripts/compile.ts";
import { makeConfigDir, startDaemon } from "../../scripts/harness/mod.ts";
import { join } from "../../scripts/paths.ts";
import { compilePair } from "../support/compile_pair.ts";
import { endpoint, serviceEntry } from "../support/manifest.ts";

const FACTS = { version: "7.8.9", revision: "0123abcd", status: "Clean", tag: "7.8" };

const compiler = await compilePair();
const why = typeof compiler === "string" ? ` [${compiler}]` : "";

Deno.test({
  name: `all programs can be built as single files that run${why}`,
  ignore: why !== "",
  fn: async (t) => {
    assert.ok(typeof compiler !== "string");
    const into = await Deno.makeTempDir({ prefix: "mesh-dist-" });
    try {
      const names = await programs();
      const built = await compile({ into, programs: names, facts: FACTS }, compiler);
      assert.deepEqual(built, names.map((name) => join(into, name)));
      for (const name of names) {
        await t.step(`${name} prints its version`, () => checkVersion(join(into, name)));
      }
      await t.step("the daemon becomes ready", () => checkDaemon(join(into, "pilot-discovery")));
      await t.step("the daemon has no more than its set", () => checkSet(into));
    } finally {
      await Deno.remove(into, { recursive: true });
    }
  },
});

async function checkVersion(file: string): Promise<void> {
  const { stdout } = await new Deno.Command(file, { args: ["version", "-o", "json"] }).output();
  const { clientVersion } = JSON.parse(new TextDecoder().decode(stdout));
  const { golang_version: runtime, ...facts } = clientVersion;
  assert.deepEqual(facts, FACTS);
  assert.match(runtime, /^deno\d/);
}

/** {@link startDaemon} waits until it is ready. */
async function checkDaemon(binary: string): Promise<void> {
  await using config = await makeConfigDir();
  const port = { number: 80, protocol: "HTTP" };
  await config.write("shop.yaml", serviceEntry("shop", ["shop.test"], port, [endpoint(1)]));
  await using daemon = await startDaemon({ configDir: config.path, binary });
  const version = await (await fetch(`${daemon.monitoring}/version`)).text();
  assert.ok(version.includes(FACTS.revision), version);
  assert.ok(JSON.stringify(await daemon.debug("configz")).includes("shop.test"));
  assert.doesNotMatch(daemon.program.output(), /Requires \w+ access/);
}

async function checkSet(into: string): Promise<void> {
  const args = ["discovery", `--configDir=${into}`, `--log_target=${into}/log`];
  const { code, stderr } = await new Deno.Command(join(into, "pilot-discovery"), { args }).output();
  assert.notEqual(code, 0);
  assert.match(new TextDecoder().decode(stderr), /write access/);
}
