/**
 * Bootstrap templates: a user's own bootstrap file with placeholders for the agent's values.
 *
 * @module
 */
import { MeshError, messageOf, printable } from "../../kit/base/mod.ts";
import type { JsonObject, JsonValue } from "../../kit/proto/mod.ts";
import { readYaml } from "../../kit/text/mod.ts";

const PLACEHOLDER = /\{\{-?\s*(.*?)\s*-?\}\}/g;
/** Longest part of the engine's message that is shown. */
const MAX_MESSAGE = 200;
const NAME = /^\.([A-Za-z_][A-Za-z0-9_.]*)$/;

/** The format of a template's result, by which Envoy reads the file: the ending of its name. */
export function formatOf(file: string): "json" | "yaml" {
  return /\.ya?ml(\.tmpl)?$/.test(file) ? "yaml" : "json";
}

/**
 * Fills a template and checks that the result is an object, in JSON or in YAML by the ending of the
 * template's name.
 *
 * @throws MeshError `bootstrap-template`, with the line where one is known
 */
export function fillTemplate(template: string, values: JsonObject, file: string): string {
  const text = filled(template, values, file);
  if (formatOf(file) === "yaml") return checkYaml(text, file);
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    throw notJson(file, `is not JSON: ${shortened(messageOf(error))}`);
  }
  if (typeof content === "object" && content !== null && !Array.isArray(content)) return text;
  throw notJson(file, "is JSON, but not an object");
}

function checkYaml(text: string, file: string): string {
  const [first, ...more] = readYaml(text);
  const { document, problem } = first ?? {};
  if (problem) throw notYaml(file, `is not YAML: ${shortened(problem.message)}`);
  if (more.length > 0) throw notYaml(file, "has several documents");
  const content = document?.value;
  if (typeof content === "object" && content !== null && !Array.isArray(content)) return text;
  throw notYaml(file, "is YAML, but not an object");
}

function notYaml(file: string, fault: string): MeshError {
  return new MeshError("bootstrap-template", `${file}: with its values filled in, it ${fault}`, {
    remedy: "Write Envoy's bootstrap in YAML.",
  });
}

/** The engine's message contains a part of the text, which may be long or have line breaks. */
function shortened(message: string): string {
  return printable(message.slice(0, MAX_MESSAGE));
}

function notJson(file: string, fault: string): MeshError {
  return new MeshError("bootstrap-template", `${file}: with its values filled in, it ${fault}`, {
    remedy: "Write Envoy's bootstrap in JSON; texts need quotes around {{ .name }}.",
  });
}

/**
 * Fills a template. `{{ .a.b }}` stands for the value at that path of the agent's own bootstrap
 * content, so `{{ .node.id }}` is the node's id, `{{ .admin }}` the whole section and `{{
 * .static_resources.clusters }}` a list. A string is inserted without quotes, with JSON string
 * escapes; everything else is inserted as JSON. A file without placeholders is used unchanged.
 * Anything else in braces is an error with its line.
 */
function filled(template: string, values: JsonObject, file: string): string {
  return template.replace(PLACEHOLDER, (placeholder: string, inner: string, offset: number) => {
    const path = NAME.exec(inner)?.[1];
    const value = path === undefined ? undefined : valueAt(values, path.split("."));
    if (value !== undefined) {
      const json = JSON.stringify(value);
      return typeof value === "string" ? json.slice(1, -1) : json;
    }
    const line = template.slice(0, offset).split("\n").length;
    const what = path === undefined ? "is not of the form {{ .name }}" : "names nothing";
    throw new MeshError("bootstrap-template", `${file}, line ${line}: ${placeholder} ${what}`, {
      remedy: `Name a part of the bootstrap file: ${
        Object.keys(values).map((key) => `.${key}`).join(", ")
      }, or one below it.`,
    });
  });
}

function valueAt(values: JsonObject, path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = values;
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, JsonValue>)[key];
  }
  return value;
}
