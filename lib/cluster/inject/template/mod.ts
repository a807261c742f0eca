/**
 * The language of Go's `text/template`, with the functions that templates of injection use. Rendering
 * has limits of steps, output and depth, and errors name the line.
 *
 * @module
 */
export { calledWith } from "./calls.ts";
export { valuesRead } from "./reads.ts";
export { parseTemplate } from "./parse.ts";
export {
  DEFAULT_LIMITS,
  renderCounted,
  type RenderLimits,
  renderTemplate,
  type TemplateFunction,
  type TemplateFunctions,
} from "./execute.ts";
export { STANDARD_FUNCTIONS } from "./functions/mod.ts";
export type { Definitions } from "./ast.ts";
export { templateFault } from "./fault.ts";
export { fieldOf, isMap, isTrue, plainOf, Structure, structureOf, textOf } from "./values.ts";
