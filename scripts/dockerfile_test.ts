/**
 * Checks the Dockerfile without an engine: named files exist, images are pinned and do not run as
 * root, and the project's own build steps work on the copied files.
 *
 * @module
 */
import assert from "node:assert/strict";
import config from "../deno.json" with { type: "json" };
import { programs } from "./compile.ts";
import { type Instruction, lineage, parseDockerfile } from "./dockerfile.ts";
import { PACKAGES } from "./images/base.ts";
import { canFetch } from "./images/debian.ts";
import { imageConfig, RULE_PROGRAMS } from "./images/contents.ts";
import { dirname, fromFileUrl, join, walkFiles } from "./paths.ts";

const ROOT = fromFileUrl(new URL("..", import.meta.url));
const stages = parseDockerfile(await Deno.readTextFile(join(ROOT, "Dockerfile")));
const names = new Set(stages.map(({ name }) => name));
const targets = await programs();

const named = (list: readonly Instruction[], name: string): Instruction[] =>
  list.filter((one) => one.name === name);

Deno.test("reading a Dockerfile: stages, flags, lists, continued lines", () => {
  const [a, b] = parseDockerfile(
    '# c\nFROM x:1 AS a\nRUN one && \\\n  two\nFROM a AS b\nCOPY --from=a --chown=1:1 /p /q\nCMD ["x", "y z"]\n',
  );
  assert.equal(a?.from, "x:1");
  assert.match(a?.instructions[0]?.text ?? "", /^one &&\s+two$/);
  assert.deepEqual(b?.instructions[0]?.flags, { from: "a", chown: "1:1" });
  assert.deepEqual(b?.instructions[1]?.words, ["x", "y z"]);
  assert.deepEqual(lineage([a!, b!], "b").map(({ name }) => name), ["RUN", "COPY", "CMD"]);
  assert.throws(() => parseDockerfile("RUN x"), /before the first stage/);
  assert.throws(() => parseDockerfile("FROM x"), /without a name/);
});

Deno.test("every program is a target of its own", () => {
  for (const program of targets) assert.ok(names.has(program), program);
});

Deno.test("images are pinned, and Deno's is of the version that CI runs", async () => {
  const ci = await Deno.readTextFile(join(ROOT, ".ci/run"));
  const version = /^DENO_VERSION=(\S+)$/m.exec(ci)?.[1];
  const images = stages.map(({ from }) => from)
    .filter((from) => !names.has(from) && from !== "scratch");
  for (const image of images) {
    assert.match(image, /:[^:/]+$/, `${image} has no tag`);
    assert.doesNotMatch(image, /:latest$/);
    if (image.includes("deno")) assert.ok(image.endsWith(`-${version}`), image);
  }
});

for (const program of targets) {
  Deno.test(`image of ${program}: the files and settings of \`deno task images\``, () => {
    const all = lineage(stages, program);
    const last = (name: string) => named(all, name).at(-1);
    const settings = {
      Entrypoint: last("ENTRYPOINT")?.words,
      Cmd: last("CMD")?.words,
      ExposedPorts: Object.fromEntries((last("EXPOSE")?.words ?? []).map((port) => [port, {}])),
      User: last("USER")?.text,
      WorkingDir: last("WORKDIR")?.text,
      Env: named(all, "ENV").map(({ text }) => text),
    };
    assert.deepEqual(settings, { ExposedPorts: {}, ...imageConfig(program) });
    assert.doesNotMatch(settings.User ?? "root", /^(root|0+)(:|$)/);
    const copies = named(all, "COPY").map(({ flags, words }) => [flags["from"], ...words]);
    assert.deepEqual(copies, [["build", `/images/${program}/`, "/"]]);
    assert.deepEqual(named(all, "RUN"), [], "an image runs no steps");
  });
}

Deno.test("tasks that the build runs exist", () => {
  const tasks = stages.flatMap(({ instructions }) => named(instructions, "RUN"))
    .flatMap(({ text }) => /deno task (\S+)/.exec(text)?.[1] ?? []);
  assert.deepEqual([...new Set(tasks)].sort(), ["gen", "images", "tools:envoy"]);
  for (const task of tasks) assert.ok(Object.hasOwn(config.tasks, task), task);
});

const APT = await canFetch(PACKAGES) ? "" : " [needs apt-get with the packages of Debian 12]";

Deno.test({
  name: `the build's own steps work on the files it copies${APT}`,
  ignore: APT !== "",
  fn: async () => {
    const src = await Deno.makeTempDir({ prefix: "mesh-image-" });
    try {
      for (const { name, flags, words, text } of lineage(stages, "build")) {
        if (name === "COPY" && flags["from"] === undefined) await copyIn(src, words);
        if (name !== "RUN") continue;
        const task = /^deno task (.+)$/.exec(text)?.[1]?.split(" ");
        if (task !== undefined) await runTask(src, task);
      }
      for (const program of targets) await checkFiles(join(src, "images", program), program);
    } finally {
      await Deno.remove(src, { recursive: true });
    }
  },
});

async function checkFiles(folder: string, program: string): Promise<void> {
  const executables = [imageConfig(program).Entrypoint[0]!, "/usr/local/bin/deno"];
  if (program === "pilot-agent") executables.push(config.permissions[program].run[0]!);
  if (program === "install-cni") executables.push("/opt/cni/bin/mesh-cni");
  if (RULE_PROGRAMS.has(program)) executables.push("/bin/dash", "/usr/sbin/xtables-nft-multi");
  for (const path of executables) {
    const { mode } = await Deno.stat(join(folder, path));
    assert.equal((mode ?? 0) & 0o777, 0o755, path);
  }
  const module = await Deno.readTextFile(join(folder, "usr/local/lib/mesh", program, "main.js"));
  assert.match(module, /export ?\{/);
}

/** Entries of `.dockerignore` in the copied folders. */
const IGNORED = join(ROOT, "lib/kit/proto/gen/");

async function copyIn(src: string, words: readonly string[]): Promise<void> {
  for (const word of words.slice(0, -1)) {
    const from = join(ROOT, word);
    const { isFile } = await Deno.stat(from);
    for (const file of isFile ? [from] : await walkFiles(from, "")) {
      if (file.startsWith(IGNORED)) continue;
      const to = join(src, file.slice(ROOT.length));
      await Deno.mkdir(dirname(to), { recursive: true });
      await Deno.copyFile(file, to);
    }
  }
}

/** Runs a task there; the folder for files is in it. */
async function runTask(cwd: string, words: readonly string[]): Promise<void> {
  const args = words.map((word) => word.replace("=/images", `=${cwd}/images`));
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["task", "-q", ...args],
    cwd,
    env: { NO_COLOR: "1", MESH_BUILD_REVISION: "r" },
  }).output();
  assert.ok(success, `${words[0]}: ${new TextDecoder().decode(stderr)}`);
}
