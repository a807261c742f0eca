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
  const images = stages.map(({ from }) => from).filter((from) => !names.has(from));
  for (const image of images) {
    assert.match(image, /:[^:/]+$/, `${image} has no tag`);
    assert.doesNotMatch(image, /:latest$/);
    if (image.includes("deno")) assert.ok(image.endsWith(`-${version}`), image);
  }
});

for (const program of targets) {
  Deno.test(`image of ${program}: runs it, not as root, on nothing but what was built`, () => {
    const all = lineage(stages, program);
    const user = named(all, "USER").at(-1)?.text ?? "root";
    assert.doesNotMatch(user, /^(root|0+)(:|$)/);
    const entry = named(all, "ENTRYPOINT").at(-1)?.words[0];
    const copies = named(all, "COPY");
    const copy = copies.find(({ words }) => words.at(-1) === entry);
    assert.deepEqual(copy?.words, [`/src/dist/${program}`, `/usr/local/bin/${program}`]);
    assert.equal(copy?.flags["from"], "build");
    assert.deepEqual(named(all, "RUN"), [], "an image without a shell runs no steps");
    for (const { flags, text } of copies) assert.ok(names.has(flags["from"] ?? ""), text);
  });
}

Deno.test("the agent's proxy lies where its permissions let it be run", () => {
  const paths = named(lineage(stages, "pilot-agent"), "COPY").map(({ words }) => words.at(-1));
  const [proxy = ""] = config.permissions["pilot-agent"].run;
  assert.ok(paths.includes(proxy), proxy);
});

Deno.test("tasks that the build runs exist", () => {
  const tasks = stages.flatMap(({ instructions }) => named(instructions, "RUN"))
    .flatMap(({ text }) => /deno task (\S+)/.exec(text)?.[1] ?? []);
  assert.deepEqual([...new Set(tasks)].sort(), ["compile", "gen", "tools"]);
  for (const task of tasks) assert.ok(Object.hasOwn(config.tasks, task), task);
});

Deno.test("the build's own steps work on the files it copies", async () => {
  const src = await Deno.makeTempDir({ prefix: "mesh-image-" });
  try {
    for (const { name, flags, words, text } of lineage(stages, "build")) {
      if (name === "COPY" && flags["from"] === undefined) await copyIn(src, words);
      if (name !== "RUN") continue;
      const task = /^deno task (\S+)$/.exec(text)?.[1];
      if (task !== undefined) await runTask(src, task);
    }
  } finally {
    await Deno.remove(src, { recursive: true });
  }
});

/** Entries of `.dockerignore` in the copied folders. */
const IGNORED = join(ROOT, "lib/proto/gen/");

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

/** Runs a task there. Compilation stops before the last step, because no base is available. */
async function runTask(cwd: string, task: string): Promise<void> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["task", "-q", task],
    cwd,
    env: { NO_COLOR: "1", DENORT_BIN: "/nowhere/denort", MESH_BUILD_REVISION: "r" },
  }).output();
  const said = new TextDecoder().decode(stderr);
  if (task === "compile") assert.match(said, /base .*cannot be had/);
  else assert.ok(success, `${task}: ${said}`);
}
