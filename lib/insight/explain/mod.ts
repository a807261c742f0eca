/**
 * Explains a request: its way through the proxies, each decision with the objects and fields behind
 * it, and its outcome. The decisions come from the simulator, the objects from provenance.
 *
 * @module
 */
export {
  ANY_NODE_PROXY,
  knowledgeOf,
  knownTo,
  nodeProxyIn,
  type Origin,
  originNamed,
} from "./ambient/mod.ts";
export { explainCall } from "./steps.ts";
export { explain, type ExplainOptions } from "./explain.ts";
export { type AskWithout, nameDeciding, type Part, type WrittenParts } from "./deciding.ts";
export { removalOf, writtenParts } from "./removal.ts";
export { outcomeOf } from "./outcome.ts";
export { parseQuestion, type Question, type QuestionFields } from "./question.ts";
export { classOf, idOf, type Party, type World } from "./world.ts";
