/**
 * `deno task charts`: writes the parts of `charts/` that come from the code, and the list of files that
 * the programs contain. With `--check` it only compares.
 *
 * @module
 */
import { describedDefinitions } from "./crds.ts";
import { fromFileUrl, join, walkFiles } from "./paths.ts";
import { toYaml } from "../lib/kit/text/mod.ts";

const ROOT = fromFileUrl(new URL("..", import.meta.url));
const GENERATED = "by `deno task charts`; do not edit.";

/** Path from the root → text of the files that are made. */
export async function chartFiles(): Promise<ReadonlyMap<string, string>> {
  return new Map([
    ["charts/base/files/definitions.yaml", await definitions()],
    ["lib/cluster/charts/embedded_files.ts", await embeddedFiles()],
  ]);
}

/** Files that differ from what would be made. */
export async function outdatedFiles(): Promise<string[]> {
  const outdated: string[] = [];
  for (const [path, text] of await chartFiles()) {
    const now = await Deno.readTextFile(join(ROOT, path)).catch(() => undefined);
    if (now !== text) outdated.push(path);
  }
  return outdated;
}

async function definitions(): Promise<string> {
  const all = (await describedDefinitions()).map((one) => `---\n${toYaml(one)}`);
  return `# Written ${GENERATED}\n${all.join("")}`;
}

/** A module with the text of each file of the charts. */
async function embeddedFiles(): Promise<string> {
  const folder = join(ROOT, "charts");
  const paths = (await walkFiles(folder, "")).map((path) => path.slice(folder.length + 1)).sort();
  const used = paths.filter((path) => path.includes("/") && !path.endsWith(".md"));
  const imports = used.map((path, at) =>
    `import F${at} from "../../../charts/${path}" with { type: "text" };\n`
  );
  const entries = used.map((path, at) => `  "${path}": F${at},\n`);
  return [
    `// Written ${GENERATED}\n`,
    ...imports,
    "\n/** Path below `charts/` → text. */\n",
    "export const EMBEDDED_FILES: Readonly<Record<string, string>> = {\n",
    ...entries,
    "};\n",
  ].join("");
}

async function main(): Promise<void> {
  if (Deno.args.includes("--check")) {
    const outdated = await outdatedFiles();
    if (outdated.length === 0) return;
    console.error(`charts: not current: ${outdated.join(", ")}; run \`deno task charts\``);
    Deno.exit(1);
  }
  for (const [path, text] of await chartFiles()) await Deno.writeTextFile(join(ROOT, path), text);
}

if (import.meta.main) await main();
