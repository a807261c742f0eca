/**
 * Renders charts to objects, as Helm does.
 *
 * @module
 */
import {
  type Node,
  parseTemplate,
  type RenderLimits,
  renderTemplate,
  type TemplateFunctions,
  textOf,
} from "../../kit/template/mod.ts";
import { DEFAULT_YAML_LIMITS, readYaml } from "../../kit/text/mod.ts";
import type { OrchObject } from "../../kit/orch/mod.ts";
import { chartFault, inChart } from "./fault.ts";
import { CHART_FUNCTIONS } from "./functions/mod.ts";
import { isObject, templateData } from "./objects.ts";
import { inInstallOrder } from "./order.ts";
import { checkValues } from "./schema.ts";
import type { Chart, ChartObject, RenderInput } from "./types.ts";
import { mergedValues } from "./values.ts";

/** Bounds of one template of a chart with what it includes. */
const LIMITS: RenderLimits = { steps: 1_000_000, characters: 8 << 20, depth: 200 };

const HOOK = "helm.sh/hook";
/** Hooks that only a command of Helm runs. */
const UNUSED_HOOKS: ReadonlySet<string> = new Set(["test", "test-success", "test-failure"]);

/**
 * The objects of a chart, in the order of installation.
 *
 * @throws MeshError `chart` with the chart, the file, the line and the value of a mistake
 */
export function renderChart(chart: Chart, input: RenderInput): ChartObject[] {
  const renderer = new ChartRenderer(chart, input);
  // Templates may change values for those that are rendered after them.
  const texts = inParseOrder([...chart.files.keys()])
    .filter((path) => isTemplate(path) && !path.endsWith("NOTES.txt"))
    .map((path) => ({ source: `${chart.name}/${path}`, text: renderer.text(path) }))
    .sort((a, b) => a.source < b.source ? -1 : 1);
  return inInstallOrder(texts.flatMap(({ source, text }) => objectsIn(chart, source, text)));
}

/**
 * The text that the chart tells its user after the installation; empty for a chart that tells nothing.
 *
 * @throws MeshError as `renderChart`
 */
export function renderNotes(chart: Chart, input: RenderInput): string {
  const path = "templates/NOTES.txt";
  return chart.files.has(path) ? new ChartRenderer(chart, input).text(path) : "";
}

/** True for a file that is rendered on its own. */
function isTemplate(path: string): boolean {
  return /^templates\/(.*\/)?[^_/][^/]*$/.test(path) && /\.(yaml|yml|tpl|txt)$/.test(path);
}

class ChartRenderer {
  readonly #chart: Chart;
  readonly #data: Record<string, unknown>;
  readonly #functions: TemplateFunctions;
  readonly #names: ReadonlySet<string>;
  readonly #definitions = new Map<string, readonly Node[]>();
  readonly #origins = new Map<string, string>();

  constructor(chart: Chart, input: RenderInput) {
    this.#chart = chart;
    const values = mergedValues(chart.values, input.values);
    if (input.isUnchecked !== true) checkValues(chart, values);
    this.#data = templateData(chart, input, values);
    this.#functions = new Map([...CHART_FUNCTIONS, ["lookup", lookupOf(input)]]);
    this.#names = new Set([...this.#functions.keys(), "include", "tpl"]);
    for (const path of inParseOrder([...chart.files.keys()])) this.#parse(path);
  }

  /** The output of a template. */
  text(path: string): string {
    const name = `${this.#chart.name}/${path}`;
    return inChart(this.#chart.name, name, () =>
      renderTemplate({
        name,
        start: name,
        definitions: this.#definitions,
        origins: this.#origins,
        functions: this.#functions,
        limits: LIMITS,
        isStrict: true,
        nested: (template, text) => parseTemplate(template, text, this.#names),
      }, { ...this.#data, Template: { Name: name, BasePath: `${this.#chart.name}/templates` } }));
  }

  #parse(path: string): void {
    const file = `${this.#chart.name}/${path}`;
    const text = this.#chart.files.get(path)!;
    const parsed = inChart(this.#chart.name, file, () => parseTemplate(file, text, this.#names));
    for (const [name, nodes] of parsed) {
      this.#definitions.set(name === "" ? file : name, nodes);
      this.#origins.set(name === "" ? file : name, file);
    }
  }
}

/** Templates in the order in which Helm parses them: the last definition of a name counts. */
function inParseOrder(paths: readonly string[]): string[] {
  const depth = (path: string) => path.split("/").length;
  return paths.filter((path) => path.startsWith("templates/"))
    .sort((a, b) => depth(b) - depth(a) || (a < b ? 1 : -1));
}

function lookupOf({ lookup }: RenderInput) {
  return (...given: readonly unknown[]): unknown => {
    const [apiVersion = "", kind = "", namespace = "", name = ""] = given.map(textOf);
    return lookup?.(apiVersion, kind, namespace, name) ?? {};
  };
}

/** The objects in the output of a template, without those that only tests create. */
function objectsIn(chart: Chart, source: string, text: string): ChartObject[] {
  const objects: ChartObject[] = [];
  for (const { document, problem } of readYaml(text, YAML_LIMITS)) {
    if (problem !== undefined) {
      const line = text.split("\n")[problem.line - 1]?.trim().slice(0, 120) ?? "";
      throw chartFault(
        `chart ${chart.name}: the output of ${source} is not YAML at its line ${problem.line}: ` +
          `${problem.message}; the line is ${JSON.stringify(line)}`,
        "Correct the value that the line contains, or the template.",
      );
    }
    const { value } = document;
    if (value === undefined || value === null) continue;
    if (!isObject(value)) {
      throw chartFault(
        `chart ${chart.name}: the output of ${source} has something else than an object with ` +
          `apiVersion, kind and metadata at its line ${document.line}`,
        "Correct the template.",
      );
    }
    if (!isUnusedHook(chart, source, value)) objects.push({ source, object: value });
  }
  return objects;
}

const YAML_LIMITS = { ...DEFAULT_YAML_LIMITS, documentLength: 8 << 20, nodes: 400_000 };

/** True for hooks that only `helm test` runs. Other hooks need Helm. */
function isUnusedHook(chart: Chart, source: string, { kind, metadata }: OrchObject): boolean {
  const hook = metadata.annotations?.[HOOK];
  if (hook === undefined) return false;
  if (hook.split(",").every((one) => UNUSED_HOOKS.has(one.trim()))) return true;
  throw chartFault(
    `chart ${chart.name}: ${source} has a hook, ${kind} ${metadata.name} (${hook}), and hooks are ` +
      "not supported",
    "Install this chart with Helm, or remove the hook.",
  );
}
