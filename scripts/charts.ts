/**
 * `deno task charts`: writes the parts of `charts/` that come from the code, the list of files that
 * the programs contain, and the tables of values in `docs/charts.md`. With `--check` it only compares.
 *
 * @module
 */
import { describedDefinitions } from "./crds.ts";
import { daemonRulesText, pluginRulesText, readerRulesText } from "./charts/rules.ts";
import { valuesTable, withTables } from "./charts/values_tables.ts";
import { dirname, fromFileUrl, join, walkFiles } from "./paths.ts";
import { toYaml } from "../lib/kit/text/mod.ts";

const ROOT = fromFileUrl(new URL("..", import.meta.url));
const GENERATED = "by `deno task charts`; do not edit.";

/** Folder that has generated files alone. */
const DEFINITIONS = "charts/base/files/definitions";

/** Path from the root → text of the files that are made. */
export async function chartFiles(): Promise<ReadonlyMap<string, string>> {
  const made = new Map([
    ...await definitions(),
    ["charts/base/templates/_rules.tpl", readerRulesText()],
    ["charts/meshd/templates/_rules.tpl", daemonRulesText()],
    ["charts/cni/templates/_rules.tpl", pluginRulesText()],
  ]);
  return made.set("lib/cluster/charts/embedded_files.ts", await embeddedFiles([...made.keys()]))
    .set("docs/charts.md", await page());
}

/** Files that differ from what would be made, and definitions that nothing makes. */
export async function outdatedFiles(): Promise<string[]> {
  const made = await chartFiles();
  const outdated = await abandoned(made);
  for (const [path, text] of made) {
    const now = await Deno.readTextFile(join(ROOT, path)).catch(() => undefined);
    if (now !== text) outdated.push(path);
  }
  return outdated;
}

async function abandoned(made: ReadonlyMap<string, string>): Promise<string[]> {
  const paths = (await walkFiles(join(ROOT, DEFINITIONS), "")).map((path) =>
    path.slice(ROOT.length)
  );
  return paths.filter((path) => !made.has(path));
}

/** The page about the charts, with current tables of values. */
async function page(): Promise<string> {
  const tables = new Map<string, string>();
  for (const name of ["base", "meshd", "cni", "ztunnel", "gateway"]) {
    const values = await Deno.readTextFile(join(ROOT, `charts/${name}/values.yaml`));
    tables.set(name, valuesTable(name, values));
  }
  return withTables(await Deno.readTextFile(join(ROOT, "docs/charts.md")), tables);
}

async function definitions(): Promise<[string, string][]> {
  return (await describedDefinitions()).map((one) => [
    `${DEFINITIONS}/${one.metadata.name}.yaml`,
    `# Written ${GENERATED}\n${toYaml(one)}`,
  ]);
}

/** A module with the text of each file of the charts. */
async function embeddedFiles(made: readonly string[]): Promise<string> {
  const folder = join(ROOT, "charts");
  const all = new Set([...await walkFiles(folder, ""), ...made.map((path) => join(ROOT, path))]);
  const used = [...all].map((path) => path.slice(folder.length + 1)).sort()
    .filter((path) => path.includes("/") && !/^monitoring\/|\.md$/.test(path));
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
  const made = await chartFiles();
  for (const path of await abandoned(made)) await Deno.remove(join(ROOT, path));
  for (const [path, text] of made) {
    await Deno.mkdir(dirname(join(ROOT, path)), { recursive: true });
    await Deno.writeTextFile(join(ROOT, path), text);
  }
}

if (import.meta.main) await main();
