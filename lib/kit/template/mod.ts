/**
 * The language of Go's `text/template`, with the functions that templates of injection and charts use.
 * Rendering has limits of steps, output and depth, and errors name the line.
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
export type { Definitions, Node } from "./ast.ts";
export { TemplateFault } from "./fault.ts";
export { ValueFault } from "./value_fault.ts";
export {
  fieldOf,
  isMap,
  isTrue,
  kindOf,
  Methods,
  plainOf,
  Structure,
  structureOf,
  textOf,
} from "./values.ts";
