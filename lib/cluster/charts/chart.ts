import { MeshError } from "../../kit/base/mod.ts";
import { isMap } from "../../kit/template/mod.ts";
import { parseYaml } from "../../kit/text/mod.ts";
import { chartFault } from "./fault.ts";
import type { Chart, ChartSet, JsonObject } from "./types.ts";

/**
 * A chart from its files.
 *
 * @param folder names the chart in messages
 * @throws MeshError `chart`
 */
export function chartFrom(folder: string, files: ReadonlyMap<string, string>): Chart {
  const about = mapAt(folder, files, "Chart.yaml");
  if (about === undefined) {
    throw chartFault(`${folder} has no Chart.yaml`, "Give the folder of a chart.");
  }
  const { name, version, dependencies } = about;
  if (typeof name !== "string" || typeof version !== "string") {
    throw chartFault(
      `${folder}/Chart.yaml has no texts in name and version`,
      "Add both, for instance name: meshd and version: 1.0.0.",
    );
  }
  const hasParts = [...files.keys()].some((path) => path.startsWith("charts/"));
  if (hasParts || Array.isArray(dependencies) && dependencies.length > 0) {
    throw chartFault(
      `${folder} has dependencies, which are not supported`,
      "Install the charts one by one.",
    );
  }
  return { name, version, values: mapAt(folder, files, "values.yaml") ?? {}, files };
}

/**
 * Charts and profiles from the files of a folder: `NAME/Chart.yaml` and so on, `profiles/NAME.yaml`.
 *
 * @throws MeshError `chart`
 */
export function chartSetFrom(files: ReadonlyMap<string, string>): ChartSet {
  const folders = new Map<string, Map<string, string>>();
  const profiles = new Map<string, string>();
  for (const [path, text] of files) {
    const profile = /^profiles\/([^/]+)\.yaml$/.exec(path)?.[1];
    if (profile !== undefined) profiles.set(profile, text);
    const slash = path.indexOf("/");
    const folder = path.slice(0, slash);
    if (slash < 0 || !files.has(`${folder}/Chart.yaml`)) continue;
    if (!folders.has(folder)) folders.set(folder, new Map());
    folders.get(folder)!.set(path.slice(slash + 1), text);
  }
  const charts = new Map<string, Chart>();
  for (const [folder, own] of folders) {
    const chart = chartFrom(folder, own);
    charts.set(chart.name, chart);
  }
  return { charts, profiles };
}

/** The map in a YAML file of a chart, if there is the file. */
export function mapAt(
  folder: string,
  files: ReadonlyMap<string, string>,
  path: string,
): JsonObject | undefined {
  const text = files.get(path);
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = parseYaml(text) ?? {};
  } catch (error) {
    if (!(error instanceof MeshError)) throw error;
    throw chartFault(`${folder}/${path} is not YAML: ${error.message}`, "Correct the file.");
  }
  if (isMap(value)) return value;
  throw chartFault(`${folder}/${path} is not a map`, "Correct the file.");
}
