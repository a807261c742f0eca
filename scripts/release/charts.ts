/**
 * Charts as archives that Helm installs.
 *
 * @module
 */
import { MeshError } from "../../lib/kit/base/mod.ts";
import { parseYaml } from "../../lib/kit/text/mod.ts";
import { join, walkFiles } from "../paths.ts";
import { type ReleaseContext, ROOT } from "./context.ts";
import { writeTarGz } from "./files.ts";

/** Packs each chart of a folder; returns the names of the archives. */
export async function makeCharts(
  { into, facts, progress, leftOut }: ReleaseContext,
  folder: string = join(ROOT, "charts"),
): Promise<string[]> {
  const files = (await walkFiles(folder, "Chart.yaml")).filter((file) =>
    /^[^/]+\/Chart\.yaml$/.test(file.slice(folder.length + 1))
  ).sort();
  if (files.length === 0) leftOut("charts", `there are none in ${folder}`);
  const made: string[] = [];
  for (const file of files) {
    const chart = parseYaml(await Deno.readTextFile(file)) as { name?: string; version?: string };
    if (chart.version !== facts.version) {
      throw new MeshError(
        "release-chart-version",
        `${file} has version ${chart.version}, not ${facts.version}.`,
        { remedy: "Write the version of lib/kit/base/build.ts." },
      );
    }
    progress(`packing chart ${chart.name}`);
    const root = file.slice(0, -"/Chart.yaml".length);
    const entries = (await walkFiles(root, "")).sort().map((source) => ({
      path: `${chart.name}${source.slice(root.length)}`,
      mode: 0o644,
      source,
    }));
    const name = `mesh-${chart.name}-${chart.version}.tgz`;
    await writeTarGz(entries, join(into, name));
    made.push(name);
  }
  return made;
}
