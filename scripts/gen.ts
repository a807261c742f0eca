/**
 * `deno task gen`: builds the wire codec under `lib/kit/proto/gen`.
 *
 * Inputs are Mesh's own protos (`protos/`), Envoy's protos from the npm package
 * `@grpc/grpc-js-xds`, and the list of roots in `scripts/gen_roots.txt`. Only the roots and their
 * imports are generated. The digest of all inputs is stored in `lib/kit/proto/gen/.stamp`; if it is
 * unchanged, nothing is done.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { EXTENDED_FILES, withAdditions } from "./gen_enums.ts";
import { withLazyDescriptors } from "./gen_lazy.ts";
import { dirname, fromFileUrl, join, npmPackageDir, walkFiles } from "./paths.ts";

const ROOT = fromFileUrl(new URL("..", import.meta.url));
const OUT = join(ROOT, "lib/kit/proto/gen");
const STAMP = ".stamp";

/** A proto of the npm package that is older than its users: `StringRules` lacks two rules. */
const VALIDATE_PROTO = "validate/validate.proto";
const VALIDATE_PATCH: readonly [find: string, replace: string] = [
  "message StringRules {",
  "message StringRules {\n  optional bool ignore_empty = 26;\n",
];

async function main(): Promise<void> {
  const pins = JSON.parse(await Deno.readTextFile(join(ROOT, "deno.json"))).imports;
  const stamp = await digest(pins);
  if (await readOr(join(OUT, STAMP)) === stamp) return;
  using progress = startProgress("fetching the compiler and the protos of Envoy");
  // The folder is inside the tree, so that the result can be renamed into place.
  await Deno.mkdir(join(ROOT, ".cache"), { recursive: true });
  const work = await Deno.makeTempDir({ dir: join(ROOT, ".cache"), prefix: "gen-" });
  try {
    const envoy = await npmPackageDir(pins["@grpc/grpc-js-xds"]);
    const roots = (await Deno.readTextFile(join(ROOT, "scripts/gen_roots.txt")))
      .split("\n").map((l) => l.trim()).filter((l) => l !== "" && !l.startsWith("#"));
    await assemble(work, join(envoy, "deps"));
    const fresh = join(work, ".out");
    const files = await closure(work, roots);
    progress.phase(`compiling ${files.length} protos`);
    await generate(work, files, pins, fresh);
    await Deno.writeTextFile(join(fresh, STAMP), stamp);
    await swap(fresh, join(work, ".old"));
  } finally {
    await Deno.remove(work, { recursive: true });
  }
  progress.phase("wrote lib/kit/proto/gen");
}

/** Time between two lines about a phase that takes long, ms. */
const PROGRESS_EVERY_MS = 2_000;

/** Prints each phase with the seconds since the start, and again while it lasts. */
function startProgress(first: string): Disposable & { phase(name: string): void } {
  const started = performance.now();
  const print = (text: string): void => {
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    console.error(`gen: ${text} (${seconds} s)`);
  };
  let current = first;
  print(current);
  const timer = setInterval(() => print(`still ${current}`), PROGRESS_EVERY_MS);
  return {
    phase: (name) => print(current = name),
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

/** Digest of all inputs. */
async function digest(pins: Record<string, string>): Promise<string> {
  const hash = createHash("sha256");
  hash.update(
    JSON.stringify([
      pins["@grpc/grpc-js-xds"],
      pins["@bufbuild/buf"],
      pins["@bufbuild/protoc-gen-es"],
    ]),
  );
  for (const input of ["gen.ts", "gen_enums.ts", "gen_lazy.ts", "gen_roots.txt"]) {
    hash.update(await Deno.readTextFile(join(ROOT, "scripts", input)));
  }
  for (const file of (await walkFiles(join(ROOT, "protos"), ".proto")).sort()) {
    hash.update(file.slice(ROOT.length));
    hash.update(await Deno.readTextFile(file));
  }
  return hash.digest("hex");
}

/** Merges all proto trees in one folder, Mesh's own last. */
async function assemble(work: string, deps: string): Promise<void> {
  const trees: [string, string][] = [
    [join(deps, "googleapis"), "google"],
    [join(deps, "protoc-gen-validate"), "validate"],
    [join(deps, "xds"), ""],
    [join(deps, "envoy-api"), ""],
    [join(ROOT, "protos"), ""],
  ];
  for (const [tree, below] of trees) {
    for (const file of await walkFiles(join(tree, below), ".proto")) {
      const target = join(work, file.slice(tree.length));
      await Deno.mkdir(dirname(target), { recursive: true });
      await Deno.copyFile(file, target);
    }
  }
  for (const file of EXTENDED_FILES) {
    const path = join(work, file);
    await Deno.writeTextFile(path, withAdditions(file, await Deno.readTextFile(path)));
  }
  const validate = join(work, VALIDATE_PROTO);
  const text = await Deno.readTextFile(validate);
  if (!/StringRules[\s\S]*ignore_empty[\s\S]*message BytesRules/.test(text)) {
    await Deno.writeTextFile(validate, text.replace(...VALIDATE_PATCH));
  }
}

/**
 * The roots (files or folders) and their imports within the work folder, as sorted relative paths.
 */
async function closure(work: string, roots: readonly string[]): Promise<string[]> {
  const seen = new Set<string>();
  const visit = async (path: string): Promise<void> => {
    if (seen.has(path)) return;
    const text = await readOr(join(work, path));
    if (text === undefined) return; // google/protobuf/*: built into the compiler
    if (/^\s*import\s+public\b/m.test(text)) {
      // Descriptors are read one file at a time; each needs only the names of its direct imports.
      throw new Error(`gen: ${path} passes on what it imports, which is not provided for`);
    }
    seen.add(path);
    for (const m of text.matchAll(/^\s*import\s+"([^"]+)"/gm)) await visit(m[1]!);
  };
  for (const root of roots) {
    if (root.endsWith(".proto")) await visit(root);
    else {for (const f of await walkFiles(join(work, root), ".proto")) {
        await visit(f.slice(work.length + 1));
      }}
  }
  return [...seen].sort();
}

/** Renames the new code into place, so that readers see either the old or the new code. */
async function swap(fresh: string, old: string): Promise<void> {
  try {
    await Deno.rename(OUT, old);
  } catch (e) {
    if (!(e instanceof Deno.errors.NotFound)) throw e;
  }
  await Deno.rename(fresh, OUT);
}

/** Runs buf with protoc-gen-es on the given files. */
async function generate(
  work: string,
  files: string[],
  pins: Record<string, string>,
  out: string,
): Promise<void> {
  const lean = await Deno.makeTempDir({ prefix: "mesh-gen-lean-" });
  try {
    for (const f of files) {
      await Deno.mkdir(dirname(join(lean, f)), { recursive: true });
      await Deno.copyFile(join(work, f), join(lean, f));
    }
    const plugin = join(lean, "protoc-gen-es");
    await Deno.writeTextFile(
      plugin,
      `#!/bin/sh\nexec "${Deno.execPath()}" run -A -q --no-config --no-lock ${
        pins["@bufbuild/protoc-gen-es"]
      } "$@"\n`,
    );
    await Deno.chmod(plugin, 0o755);
    await Deno.writeTextFile(join(lean, "buf.yaml"), "version: v2\n");
    // `strategy: all` runs the plugin once instead of once for each folder.
    await Deno.writeTextFile(
      join(lean, "buf.gen.yaml"),
      `version: v2\nplugins:\n  - local: ${plugin}\n    out: ${out}\n    opt: [target=ts, import_extension=ts]\n    strategy: all\n`,
    );
    await Deno.mkdir(out, { recursive: true });
    const { code, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "-q", "--no-config", "--no-lock", pins["@bufbuild/buf"]!, "generate"],
      cwd: lean,
      stdout: "inherit",
      stderr: "piped",
    }).output();
    if (code !== 0) {
      throw new Error(`gen: buf failed with status ${code}:\n${new TextDecoder().decode(stderr)}`);
    }
  } finally {
    await Deno.remove(lean, { recursive: true });
  }
  for (const file of await walkFiles(out, ".ts")) {
    const text = withLazyDescriptors(await Deno.readTextFile(file), file.slice(out.length + 1));
    await Deno.writeTextFile(file, "// deno-lint-ignore-file\n" + text);
  }
}

async function readOr(path: string): Promise<string | undefined> {
  try {
    return await Deno.readTextFile(path);
  } catch (e) {
    if (e instanceof Deno.errors.NotFound) return undefined;
    throw e;
  }
}

if (import.meta.main) await main();
