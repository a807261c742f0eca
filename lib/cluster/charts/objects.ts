import type { OrchObject } from "../../kit/orch/mod.ts";
import { isMap, Methods } from "../../kit/template/mod.ts";
import { CHART_FUNCTIONS } from "./functions/mod.ts";
import { chartFault } from "./fault.ts";
import { mapAt } from "./chart.ts";
import type { Chart, ChartCapabilities, JsonObject, RenderInput } from "./types.ts";

/** Files of a chart that `.Files` does not have, because they are its parts. */
const OWN = /^(templates\/|crds\/|charts\/|Chart\.(yaml|lock)$|values\.(yaml|schema\.json)$)/;

/** The data of a template: `.Values`, `.Release` and the others. */
export function templateData(
  chart: Chart,
  { release, capabilities }: RenderInput,
  values: JsonObject,
): Record<string, unknown> {
  const isUpgrade = release.isUpgrade ?? false;
  return {
    Values: values,
    Chart: chartData(chart),
    Release: {
      Name: release.name,
      Namespace: release.namespace,
      IsUpgrade: isUpgrade,
      IsInstall: !isUpgrade,
      Revision: 1,
      Service: "Helm",
    },
    Capabilities: capabilityData(capabilities),
    Files: filesData([...chart.files].filter(([path]) => !OWN.test(path))),
    Subcharts: {},
  };
}

/** The fields of `Chart.yaml` by the names that templates have for them. */
function chartData(chart: Chart): Record<string, unknown> {
  const fields = mapAt(chart.name, chart.files, "Chart.yaml") ?? {};
  const named = Object.entries(fields).map(([name, value]) =>
    [name === "apiVersion" ? "APIVersion" : name[0]!.toUpperCase() + name.slice(1), value] as const
  );
  return { ...Object.fromEntries(named), IsRoot: true };
}

function capabilityData({ orchVersion, apiVersions }: ChartCapabilities): Record<string, unknown> {
  const version = `v${orchVersion.replace(/^v/, "")}`;
  const [, major = "", minor = ""] = /^v(\d+)\.(\d+)/.exec(version) ?? [];
  if (major === "") {
    throw chartFault(
      `${orchVersion} is not a version of the orchestrator`,
      "Give one such as 1.33.0.",
    );
  }
  const known = new Set(apiVersions);
  return {
    KubeVersion: { Version: version, GitVersion: version, Major: major, Minor: minor },
    APIVersions: new Methods({ Has: (one) => known.has(String(one)) }),
    HelmVersion: { Version: "v3.22.0" },
  };
}

/** `.Files`, or a part of it. */
function filesData(files: readonly (readonly [string, string])[]): Methods {
  const texts = Object.fromEntries(files);
  const text = (path: unknown) => Object.hasOwn(texts, String(path)) ? texts[String(path)]! : "";
  const yaml = (convert: (text: string) => unknown) =>
    CHART_FUNCTIONS.get("toYaml")!(
      Object.fromEntries(files.map(([path, one]) => [path.split("/").at(-1)!, convert(one)])),
    );
  return new Methods({
    Get: text,
    GetBytes: text,
    Lines: (path) => text(path) === "" ? [] : text(path).replace(/\n$/, "").split("\n"),
    Glob: (pattern) => filesData(files.filter(([path]) => globOf(String(pattern)).test(path))),
    AsConfig: () => yaml((one) => one),
    AsSecrets: () => yaml((one) => CHART_FUNCTIONS.get("b64enc")!(one)),
  }, texts);
}

/** A pattern of files: `*` within a folder, `**` across folders, `?`, `[a-z]`, `{a,b}`. */
function globOf(pattern: string): RegExp {
  const source = pattern.replace(
    /\*\*|\*|\?|\{[^}]*\}|\[!?[^\]]*\]|[.+^$()|\\]/g,
    (part) => {
      if (part === "**") return ".*";
      if (part === "*") return "[^/]*";
      if (part === "?") return "[^/]";
      if (part.startsWith("{")) {
        const ways = part.slice(1, -1).split(",").map((way) => globOf(way).source.slice(1, -1));
        return `(?:${ways.join("|")})`;
      }
      if (part.startsWith("[")) return part.replace("[!", "[^");
      return `\\${part}`;
    },
  );
  return new RegExp(`^${source}$`);
}

/** True for an object of the orchestrator. */
export function isObject(value: unknown): value is JsonObject & OrchObject {
  return isMap(value) && typeof value.apiVersion === "string" && typeof value.kind === "string" &&
    isMap(value.metadata);
}
