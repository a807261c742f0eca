/**
 * Explained requests as plain data: their types, the verdict, and the text. Reading them needs neither
 * the mesh nor the simulator.
 *
 * @module
 */
export type {
  Cause,
  Doubt,
  ExplainedStep,
  Explanation,
  Hop,
  Outcome,
  Refusal,
  StepName,
} from "./explanation.ts";
export { causeText, detailsOf, renderExplanation } from "./render.ts";
export { afterReplicas, type AskedReplicas } from "./replicas.ts";
export { ruleOf } from "./rules.ts";
export { doubtText, type Verdict, verdictLine, verdictOf } from "./verdict.ts";
