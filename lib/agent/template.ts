/**
 * Bootstrap templates: a user's own bootstrap file with placeholders for the agent's values.
 *
 * @module
 */
import { MeshError } from "../base/mod.ts";
import type { JsonObject, JsonValue } from "../proto/mod.ts";

const PLACEHOLDER = /\{\{-?\s*(.*?)\s*-?\}\}/g;
const NAME = /^\.([A-Za-z_][A-Za-z0-9_.]*)$/;

/**
 * Fills a template. `{{ .a.b }}` stands for the value at that path of the agent's own bootstrap
 * content, so `{{ .node.id }}` is the node's id, `{{ .admin }}` the whole section and `{{
 * .static_resources.clusters }}` a list. A string is inserted without quotes, with JSON string
 * escapes; everything else is inserted as JSON. A file without placeholders is used unchanged.
 *
 * @param file used only in errors
 * @throws MeshError `bootstrap-template` with the line, for anything else in braces
 */
export function fillTemplate(template: string, values: JsonObject, file: string): string {
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
