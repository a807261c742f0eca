/**
 * Renders templates to objects.
 *
 * @module
 */
import { MeshError } from "../../kit/base/mod.ts";
import { parseYaml, readYaml } from "../../kit/text/mod.ts";
import { type RenderBudget, valuesIn } from "./bounds.ts";
import { asInjection } from "./template_fault.ts";
import { allContainers, type Json, type Pod } from "./objects.ts";
import {
  DEFAULT_LIMITS,
  type Definitions,
  isMap,
  renderCounted,
  renderTemplate,
  type Structure,
  type TemplateFunctions,
} from "../../kit/template/mod.ts";

/** A parsed template with its functions. */
export interface TemplateInput {
  readonly name: string;
  readonly definitions: Definitions;
  readonly functions: TemplateFunctions;
  /** The rest of the pod's budget; unset: the template of a waypoint, which has limits of its own. */
  readonly budget?: RenderBudget;
}

/**
 * Renders a template to the pod that is merged over the user's.
 *
 * @throws MeshError `inject-template`; `inject-result` for a result that is no pod
 */
export function renderPod(input: TemplateInput, data: Structure): Pod {
  const text = rendered(input, data);
  let value: unknown;
  try {
    value = parseYaml(text) ?? {};
  } catch (error) {
    if (!(error instanceof MeshError)) throw error;
    throw fault(input.name, `is not YAML: ${error.message}; ${excerpt(text, error.message)}`);
  }
  if (!isMap(value)) throw fault(input.name, "is not a map with metadata and spec");
  const pod = value as Pod;
  checkTexts(input.name, "metadata.labels", pod.metadata?.labels);
  checkTexts(input.name, "metadata.annotations", pod.metadata?.annotations);
  for (const { name, env } of allContainers(pod)) {
    for (const { name: variable, value } of env ?? []) {
      if (value === undefined || value === null || typeof value === "string") continue;
      throw fault(input.name, `gives the variable ${variable} of ${name} no text; quote its value`);
    }
  }
  return pod;
}

/** The text of a template, within the budget. */
function rendered({ budget, ...input }: TemplateInput, data: Structure): string {
  if (budget === undefined) return asInjection(() => renderTemplate(input, data));
  const limits = { ...DEFAULT_LIMITS, steps: budget.steps, characters: budget.characters };
  const { text, steps } = asInjection(() => renderCounted({ ...input, limits }, data));
  budget.steps -= steps;
  budget.characters -= text.length;
  budget.values -= valuesIn(text);
  if (budget.values >= 0) return text;
  throw fault(input.name, "has too many values, counted together with those of other templates");
}

/**
 * Renders a template of several objects, such as `waypoint`.
 *
 * @throws MeshError `inject-template`; `inject-result` for a result that is not YAML
 */
export function renderObjects(input: TemplateInput, data: Structure): readonly Json[] {
  const text = asInjection(() => renderTemplate(input, data));
  return [...readYaml(text)].flatMap(({ document, problem }) => {
    if (problem !== undefined) throw fault(input.name, `is not YAML: ${problem.message}`);
    return isMap(document?.value) ? [document.value as Json] : [];
  });
}

/** The API has texts there: a number would be refused with a message that nobody understands. */
function checkTexts(template: string, path: string, map: unknown): void {
  if (!isMap(map)) return;
  for (const [name, value] of Object.entries(map)) {
    if (value === null || typeof value === "string") continue;
    throw fault(template, `has no text in ${path}["${name}"]; quote its value`);
  }
}

/** The line of the output that a message names. */
function excerpt(text: string, message: string): string {
  const line = Number(/line (\d+)/.exec(message)?.[1] ?? 1);
  return `the line is: ${JSON.stringify(text.split("\n")[line - 1]?.trim().slice(0, 120) ?? "")}`;
}

function fault(template: string, what: string): MeshError {
  return new MeshError("inject-result", `the result of the template ${template} ${what}`, {
    remedy: "Correct the template in the key config of the injection ConfigMap.",
  });
}
