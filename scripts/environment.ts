/**
 * `deno task docs`: writes `docs/environment.md`; with `--check` it only reports whether the page
 * is out of date.
 *
 * @module
 */
import { declaredEnv } from "../lib/kit/env/mod.ts";
import { environmentPage } from "./environment_page.ts";
import { usesOf } from "./environment_uses.ts";
import { fromFileUrl, join, sourceFiles } from "./paths.ts";
// Modules declare the variables they read, so everything that the programs use is loaded.
import "../cmd/install-cni/install.ts";
import "../cmd/install-cni/options.ts";
import "../cmd/meshctl/program.ts";
import "../cmd/pilot-agent/capture.ts";
import "../cmd/pilot-agent/proxy.ts";
import "../cmd/pilot-discovery/discovery.ts";

const FILE = fromFileUrl(new URL("../docs/environment.md", import.meta.url));

/** The code of the programs, by path relative to the root, sorted; without tests. */
export async function programSources(): Promise<Map<string, string>> {
  const sources = new Map<string, string>();
  const root = fromFileUrl(new URL("..", import.meta.url));
  for (const top of ["cmd", "lib"]) {
    for (const file of (await sourceFiles(join(root, top))).sort()) {
      if (/_test\.ts$|\/(testing|fixture)\.ts$|\/lib\/kit\/env\/|\/gen\//.test(file)) continue;
      sources.set(file.slice(root.length), await Deno.readTextFile(file));
    }
  }
  return sources;
}

/** Files with the declarations of each variable, relative to the root, sorted. */
export function declarationFiles(sources: ReadonlyMap<string, string>): Map<string, string[]> {
  const files = new Map<string, string[]>();
  for (const [file, text] of sources) {
    for (const [, name] of text.matchAll(DECLARATION)) {
      files.set(name!, [...files.get(name!) ?? [], file]);
    }
  }
  return files;
}

/** A call of `declareEnv` or `declareSwitch` with its name, as `deno fmt` writes it. */
const DECLARATION = /\bdeclare(?:Env|Switch)\(\{\s*name: "(\w+)"/g;

if (import.meta.main) {
  const sources = await programSources();
  const page = environmentPage(declaredEnv(), declarationFiles(sources), usesOf(sources));
  if (!Deno.args.includes("--check")) await Deno.writeTextFile(FILE, page);
  else if (page !== await Deno.readTextFile(FILE)) {
    console.error("docs/environment.md is out of date: run `deno task docs`");
    Deno.exit(1);
  }
}
