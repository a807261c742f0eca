// @isolate: it takes long.
import assert from "node:assert/strict";
import { buildInfo } from "../../lib/kit/base/mod.ts";
import { EMULATOR } from "../images/emulator.ts";
import { PLATFORMS } from "../images/platforms.ts";
import { join } from "../paths.ts";
import { makeBinaries, TARGETS } from "./binaries.ts";
import { makeCharts } from "./charts.ts";
import { isVersion, type ReleaseContext, releaseFacts, ROOT } from "./context.ts";
import { SUMS } from "./files.ts";
import { makeRelease } from "./release.ts";
import { spdxFaults } from "./spdx_rules.ts";

const VERSION = buildInfo.version;

interface TestContext extends ReleaseContext {
  readonly omitted: string[];
}

function contextOf(into: string): TestContext {
  const omitted: string[] = [];
  return {
    facts: { version: VERSION, revision: "0".repeat(40), status: "Clean", tag: VERSION },
    created: "2026-01-02T03:04:05Z",
    into,
    omitted,
    progress: () => {},
    leftOut: (what, reason) => void omitted.push(`${what}: ${reason}`),
  };
}

async function inFolder(fn: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "mesh-release-" });
  try {
    await fn(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

interface Ran {
  readonly success: boolean;
  readonly out: string;
  readonly err: string;
}

async function run(
  program: string,
  args: string[],
  options: Deno.CommandOptions = {},
): Promise<Ran> {
  const { success, stdout, stderr } = await new Deno.Command(program, { ...options, args })
    .output();
  const text = new TextDecoder();
  return { success, out: text.decode(stdout), err: text.decode(stderr) };
}

const VERSIONS: readonly (readonly [string, boolean])[] = [
  ...["0.1.0", "1.24.0-rc.0", "10.20.30", "1.0.0-alpha-a.b"].map((one) => [one, true] as const),
  ...["1.0", "v1.0.0", "1.0.0-", "01.0.0", "1.0.0-01", "1.0.0+a"].map((one) =>
    [one, false] as const
  ),
];

Deno.test("release: versions are those of SemVer, and the project has one", () => {
  for (const [text, expected] of VERSIONS) assert.equal(isVersion(text), expected, text);
  assert.ok(isVersion(VERSION));
});

Deno.test("release: facts have the time of the commit, or of SOURCE_DATE_EPOCH", async () => {
  const env = { SOURCE_DATE_EPOCH: "86400", MESH_BUILD_REVISION: "abc" };
  const { facts, created } = await releaseFacts((name) => env[name as keyof typeof env]);
  assert.deepEqual([facts.revision, created], ["abc", "1970-01-02T00:00:00Z"]);
  const without = { MESH_BUILD_REVISION: "0".repeat(40) };
  await assert.rejects(releaseFacts((name) => without[name as keyof typeof without]), {
    code: "release-time",
    remedy: /SOURCE_DATE_EPOCH/,
  });
});

/** Files of a folder by name. */
async function filesOf(folder: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const { name } of Deno.readDirSync(folder)) {
    files[name] = (await Deno.readFile(join(folder, name))).toBase64();
  }
  return files;
}

Deno.test("release: two runs give the same bytes; the archive runs, the checksums and materials are right", (t) =>
  inFolder(async (folder) => {
    const first = join(folder, "first");
    const request = {
      parts: ["portable", "completions", "sbom", "provenance", "offline"],
      programs: ["meshctl"],
      missing: "refuse",
      bases: "",
    } as const;
    await makeRelease(contextOf(first), request);
    await makeRelease(contextOf(join(folder, "second")), request);

    await t.step("the same bytes", async () => {
      const files = await filesOf(first);
      assert.equal(Object.keys(files).length, 6);
      assert.deepEqual(await filesOf(join(folder, "second")), files);
    });
    await t.step("sha256sum accepts the checksums, and refuses a changed file", async () => {
      const check = () => run("sha256sum", ["--check", "--strict", SUMS], { cwd: first });
      const { success, out, err } = await check();
      assert.ok(success, err);
      assert.equal(out.trim().split("\n").length, 5);
      await Deno.writeTextFile(join(first, `mesh-${VERSION}.spdx.json`), " ", { append: true });
      assert.equal((await check()).success, false);
    });
    await t.step("the bill of materials keeps the rules of SPDX", async () => {
      const file = join(folder, "second", `mesh-${VERSION}.spdx.json`);
      const bill = JSON.parse(await Deno.readTextFile(file));
      assert.deepEqual(spdxFaults(bill), []);
      const names = bill.packages.map(({ name }: { name: string }) => name);
      for (const name of ["js-yaml", "re2js", "envoy", "deno", "libc6"]) {
        assert.ok(names.includes(name), name);
      }
      for (const name of ["fast-check", "@bufbuild/buf", EMULATOR]) {
        assert.ok(!names.includes(name), name);
      }
      const ids = bill.packages.map(({ SPDXID }: { SPDXID: string }) => SPDXID);
      for (const { name } of PLATFORMS) {
        for (const held of ["image-meshctl", "deno", "envoy", "deb-libc6"]) {
          assert.ok(ids.includes(`SPDXRef-${held}-${name}`), `${held} for ${name}`);
        }
      }
    });
    await t.step("the provenance names commit, builder, materials and each file", async () => {
      const file = join(folder, "second", `mesh-${VERSION}.intoto.json`);
      const { subject, predicate } = JSON.parse(await Deno.readTextFile(file));
      const sums = await Deno.readTextFile(join(folder, "second", SUMS));
      assert.equal(subject.length, 3);
      for (const { name, digest } of subject) {
        assert.ok(sums.includes(`${digest.sha256}  ${name}\n`));
      }
      const { resolvedDependencies: [source], internalParameters } = predicate.buildDefinition;
      assert.deepEqual(source.digest, { gitCommit: "0".repeat(40) });
      const uris: string[] = predicate.buildDefinition.resolvedDependencies
        .map(({ uri }: { uri: string }) => uri);
      for (const { name } of PLATFORMS) {
        for (const start of ["pkg:github/denoland/deno@", "pkg:pypi/", "pkg:deb/debian/libc6@"]) {
          const isThere = uris.some((uri) => uri.startsWith(start) && uri.endsWith(`arch=${name}`));
          assert.ok(isThere, `${start} for ${name}`);
        }
      }
      assert.equal(new Set(uris).size, uris.length);
      assert.equal(internalParameters.sources, "Clean");
      assert.match(predicate.runDetails.builder.id, /deno-task-release$/);
    });
    await t.step("the portable archive runs", () => portableRuns(first, folder));
    await t.step("a bundle without images says so", async () => {
      await run("tar", ["-xf", join(first, `mesh-${VERSION}-offline.tar`), "-C", folder]);
      const script = join(folder, `mesh-${VERSION}-offline/load.sh`);
      const { success, err } = await run(script, ["podman"]);
      assert.equal(success, false);
      assert.equal(err, "Error: this bundle has no images.\n");
    });
  }));

/** Runs `meshctl` of the archive with this Deno, and with one that does not fit. */
async function portableRuns(release: string, folder: string): Promise<void> {
  const name = `mesh-${VERSION}-portable`;
  const untar = await run("tar", ["-xzf", join(release, `${name}.tar.gz`), "-C", folder]);
  assert.ok(untar.success, untar.err);
  const meshctl = join(folder, name, "bin/meshctl");
  const env = { MESH_DENO: Deno.execPath(), DENO_DIR: join(folder, "empty-cache"), HOME: folder };
  const version = await run(meshctl, ["version", "--remote=false"], { env });
  assert.deepEqual(
    [version.success, version.out],
    [true, `client version: ${VERSION}\n`],
    version.err,
  );
  const samples = join(ROOT, "samples/split");
  const analyzed = await run(meshctl, ["analyze", "--use-kube=false", samples], { env });
  assert.ok(analyzed.success, analyzed.err);
  assert.match(analyzed.err, /No validation issues found/);
  const other = await run(meshctl, ["version"], { env: { ...env, MESH_DENO: "/bin/false" } });
  assert.match(
    other.err,
    /^Error: meshctl needs Deno [\d.]+; \/bin\/false is not there\.\nInstall/,
  );
  assert.equal(other.success, false);
}

Deno.test("release: a target without a base is left out by name, with the archive as the way", () =>
  inFolder(async (folder) => {
    const context = contextOf(folder);
    assert.deepEqual(await makeBinaries(context, ["meshctl"], join(folder, "none")), []);
    assert.deepEqual(
      context.omitted.map((line) => line.split(":")[0]),
      TARGETS.map(({ name }) => `meshctl for ${name}`),
    );
    for (const line of context.omitted) assert.match(line, /cannot be had.*-portable\.tar\.gz$/);
  }));

Deno.test("release: charts are packed as Helm reads them; one of another version is refused", () =>
  inFolder(async (folder) => {
    const charts = join(folder, "charts");
    await Deno.mkdir(join(charts, "base/templates"), { recursive: true });
    const chart = (version: string) =>
      Deno.writeTextFile(
        join(charts, "base/Chart.yaml"),
        `apiVersion: v2\nname: base\nversion: ${version}\n`,
      );
    await chart(VERSION);
    await Deno.writeTextFile(join(charts, "base/templates/a.yaml"), "a: 1\n");
    const into = join(folder, "out");
    await Deno.mkdir(into);
    assert.deepEqual(await makeCharts(contextOf(into), charts), [`mesh-base-${VERSION}.tgz`]);
    const { out } = await run("tar", ["-tzf", join(into, `mesh-base-${VERSION}.tgz`)]);
    assert.deepEqual(out.split("\n").filter((line) => !line.endsWith("/")), [
      "base/Chart.yaml",
      "base/templates/a.yaml",
      "",
    ]);
    await chart("9.9.9");
    await assert.rejects(makeCharts(contextOf(into), charts), { code: "release-chart-version" });
    const empty = contextOf(into);
    assert.deepEqual(await makeCharts(empty, join(folder, "none")), []);
    assert.match(empty.omitted[0]!, /^charts: there are none/);
  }));

Deno.test("release: a folder with files of another version is refused", () =>
  inFolder(async (folder) => {
    await Deno.writeTextFile(join(folder, "mesh-0.0.1-portable.tar.gz"), "");
    const request = { parts: [], programs: [], missing: "refuse", bases: "" } as const;
    await assert.rejects(makeRelease(contextOf(folder), request), {
      code: "release-folder",
      message: /has mesh-0\.0\.1-portable\.tar\.gz/,
    });
  }));

Deno.test("release: unknown parts and programs are refused with the known ones", async () => {
  for (
    const [flag, said] of [["--only=portabel", /portabel\.\n.*portable, bin/], [
      "--programs=x",
      /x\.\n.*meshctl/,
    ]] as const
  ) {
    const script = new URL("task.ts", import.meta.url).pathname;
    const { success, err } = await run(Deno.execPath(), ["run", "-A", "-q", script, flag]);
    assert.equal(success, false);
    assert.match(err, said);
  }
});
