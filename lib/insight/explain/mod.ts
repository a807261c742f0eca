/**
 * Explains a request: its way through the proxies, each decision with the objects and fields behind
 * it, and its outcome. The decisions come from the simulator, the objects from provenance.
 *
 * @module
 */
export { type Cause, explainCall, type ExplainedStep, type StepName } from "./steps.ts";
export { type Doubt, explain, type ExplainOptions, type Explanation, type Hop } from "./explain.ts";
export { type AskWithout, nameDeciding } from "./deciding.ts";
export { type Outcome, outcomeOf, type Refusal } from "./outcome.ts";
export { parseQuestion, type Question, type QuestionFields } from "./question.ts";
export { causeText, detailsOf, renderExplanation } from "./render.ts";
export { idOf, type Party, type World } from "./world.ts";
export { doubtText, type Verdict, verdictLine, verdictOf } from "./verdict.ts";
