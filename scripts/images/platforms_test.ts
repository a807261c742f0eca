// @isolate: it takes long.
import assert from "node:assert/strict";
import { buildInfo } from "../../lib/kit/base/mod.ts";
import { join } from "../paths.ts";
import { ENVOY_VERSION } from "../tools.ts";
import { PACKAGES } from "./base.ts";
import { codeCache } from "./code_cache.ts";
import { systemLayers, writeFiles } from "./contents.ts";
import { canFetch } from "./debian.ts";
import { EMULATOR, emulator } from "./emulator.ts";
import { withFolders } from "./image.ts";
import { isOwn, parsePlatforms, type Platform, platformOf, PLATFORMS } from "./platforms.ts";
import { runtimePath } from "./runtime.ts";
import { makeImages } from "./task.ts";

Deno.test("platforms: names of image tools, in the order of a release", () => {
  const names = (text: string): string[] => parsePlatforms(text).map(({ name }) => name);
  assert.deepEqual(names("linux/arm64"), ["arm64"]);
  assert.deepEqual(names("linux/arm64, linux/amd64"), ["amd64", "arm64"]);
  for (const stray of ["", "arm64", "linux/riscv64", "linux/amd64,windows/amd64"]) {
    assert.throws(() => parsePlatforms(stray), { code: "images-platform", remedy: /linux\/arm64/ });
  }
  assert.throws(() => platformOf("riscv64"), { code: "images-platform" });
});

/** `e_machine` of programs by platform (ELF gABI). */
const MACHINES: Readonly<Record<string, number>> = { amd64: 62, arm64: 183 };

/** The machine of a program or library, or that it is none. */
async function machineOf(file: string): Promise<number | undefined> {
  using opened = await Deno.open(file);
  const head = new Uint8Array(20);
  const length = await opened.read(head) ?? 0;
  const view = new DataView(head.buffer);
  return length === 20 && view.getUint32(0) === 0x7f454c46 ? view.getUint16(18, true) : undefined;
}

const OTHER: Platform = PLATFORMS.find((platform) => !isOwn(platform))!;
const lacking = await canFetch([...PACKAGES, EMULATOR]) && await canFetch(PACKAGES, OTHER)
  ? ""
  : " [needs apt-get with the packages of Debian 12]";

function withMirror(name: string, fn: (folder: string) => Promise<void>): void {
  Deno.test({
    name: `${name}${lacking}`,
    ignore: lacking !== "",
    fn: async () => {
      const folder = await Deno.makeTempDir({ prefix: "mesh-platforms-" });
      try {
        await fn(folder);
      } finally {
        await Deno.remove(folder, { recursive: true });
      }
    },
  });
}

/** The C library has it for x86 alone. */
const X86_ONLY = "lib/x86_64-linux-gnu/libmvec.so.1";

/** A path without the names that differ from platform to platform. */
function plainPath(path: string): string {
  return path.replace(/(x86_64|aarch64)-linux-gnu/, "TRIPLE")
    .replace(/^lib(64|\/TRIPLE)?\/ld-linux-.*/, "LOADER")
    .replace(/^lib64$/, "lib");
}

withMirror("images: for each platform the same files, and programs for its machine", async () => {
  for (const program of ["pilot-discovery", "pilot-agent", "install-cni", "meshctl"]) {
    const paths = [];
    for (const platform of PLATFORMS) {
      const entries = (await systemLayers(program, platform, "newer")).flat();
      const names = entries.map(({ path }) => path).filter((path) => path !== X86_ONLY);
      paths.push([...new Set(names.map(plainPath))].sort());
      const machines = new Map<string, number>();
      for (const { path, source } of entries) {
        const machine = source === undefined ? undefined : await machineOf(source);
        if (machine !== undefined) machines.set(path, machine);
      }
      assert.ok(machines.has("usr/local/bin/deno"), program);
      assert.equal(machines.has("usr/local/bin/dataproxy"), program === "pilot-agent");
      assert.equal(machines.has("opt/cni/bin/mesh-cni"), program === "install-cni");
      for (const [path, machine] of machines) {
        assert.equal(machine, MACHINES[platform.name], `${path} for ${platform.name}`);
      }
    }
    assert.deepEqual(paths[0], paths[1], program);
  }
});

/** A command in the files of an image: with an emulator where this machine is of another platform. */
class Inside {
  readonly #root: string;
  readonly #emulator: readonly string[];

  constructor(root: string, emulator: readonly string[]) {
    this.#root = root;
    this.#emulator = emulator;
  }

  /** Runs a program, and returns its output. */
  async run(
    path: string,
    args: readonly string[],
    env: Record<string, string> = {},
  ): Promise<string> {
    const [command, ...words] = [...this.#emulator, join(this.#root, path), ...args];
    const { success, stdout, stderr } = await new Deno.Command(command!, { args: words, env })
      .output();
    const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
    assert.ok(success, `${path}: ${err}`);
    return `${out}${err}`;
  }
}

withMirror("images: programs of the other platform run in an emulator", async (root) => {
  for (const layer of await systemLayers("pilot-agent", OTHER, "newer")) {
    await writeFiles(withFolders(layer), root);
  }
  const inside = new Inside(root, await emulator(OTHER, root, "newer"));
  for (
    const [path, flag, expected] of [
      ["usr/local/bin/deno", "--version", new RegExp(`deno ${Deno.version.deno} .*${OTHER.arch}`)],
      ["usr/local/bin/dataproxy", "--version", new RegExp(`/${ENVOY_VERSION}/`)],
      ["usr/sbin/xtables-nft-multi", "iptables-save --version", /iptables-save v1/],
      ["bin/ip", "-V", /iproute2/],
      ["usr/bin/nsenter", "--version", /util-linux/],
    ] as const
  ) {
    assert.match(await inside.run(path, flag.split(" ")), expected, path);
  }
  await sameCode([...await emulator(OTHER, root, "newer"), await runtimePath(OTHER)], root);
});

/** Compiles a module twice, with the same bytes as the result. */
async function sameCode(runtime: readonly string[], folder: string): Promise<void> {
  const made = [];
  for (const name of ["first", "second"]) {
    const work = join(folder, name);
    const modules = join(work, "modules");
    await Deno.mkdir(modules, { recursive: true });
    await Deno.writeTextFile(join(modules, "main.js"), "export const sum = (a, b) => a + b;\n");
    const places = { program: "program", modules, at: "/modules", into: "/cache", work };
    const entries = await codeCache({ ...places, runtime });
    made.push(
      await Promise.all(entries.map(async ({ path, data, source }) => ({
        path,
        bytes: data ?? await Deno.readFile(source!),
      }))),
    );
  }
  assert.deepEqual(made[0], made[1]);
}

/** The words after `exec` in the script that starts a program. */
function startOf(
  script: string,
): { readonly env: Record<string, string>; readonly args: string[] } {
  const variables = /^export (.*)$/m.exec(script)?.[1] ?? "";
  const exec = /^exec \S+ (.*) "\$@"$/m.exec(script)?.[1] ?? "";
  const env = Object.fromEntries(variables.split(" ").map((one) => one.split("=", 2)));
  return { env, args: exec.split(/ +/) };
}

withMirror(
  "images: an index of both platforms; the program of the other one runs",
  async (folder) => {
    const program = "install-cni";
    const [made] = await makeImages({
      programs: [program],
      platforms: PLATFORMS,
      into: join(folder, "images"),
      tag: "test",
      isCompressed: false,
      missing: "newer",
    });
    const read = async (path: string) =>
      JSON.parse(await Deno.readTextFile(join(made!.layout, path)));
    const blob = (digest: string): string => join("blobs", digest.replace(":", "/"));
    const { manifests: [index] } = await read("index.json");
    assert.equal(index.digest, made!.digest);
    const { manifests } = await read(blob(index.digest));
    assert.deepEqual(
      manifests.map(({ platform }: { platform: unknown }) => platform),
      PLATFORMS.map(({ name }) => ({ architecture: name, os: "linux" })),
    );
    const root = join(folder, "root");
    await Deno.mkdir(root);
    const { layers, config } = await read(blob(manifests[PLATFORMS.indexOf(OTHER)].digest));
    assert.equal((await read(blob(config.digest))).architecture, OTHER.name);
    for (const { digest } of layers) {
      const args = ["-xf", join(made!.layout, blob(digest)), "-C", root];
      assert.ok((await new Deno.Command("tar", { args }).output()).success);
    }
    const inside = new Inside(root, await emulator(OTHER, root, "newer"));
    const script = await Deno.readTextFile(join(root, "usr/local/bin", program));
    const { env, args } = startOf(script);
    const [command, ...flags] = args;
    const words = [command!, "-L=debug", ...flags.filter((flag) => flag !== "-q"), "version"];
    const said = await inside.run("usr/local/bin/deno", words, { ...env, NO_COLOR: "1" });
    assert.match(said, new RegExp(buildInfo.version.replaceAll(".", "\\.")));
    const main = `file:///usr/local/lib/mesh/${program}/main.js`;
    assert.match(said, new RegExp(`code cache hit for ES module: ${main}`));
  },
);
