/**
 * Inspection of a graph: audit of stored values, explanations of dependencies, costs, causes of
 * changes, dumps.
 *
 * @module
 */
export { audit, auditable } from "./audit.ts";
export { causes } from "./causes.ts";
export { costs } from "./costs.ts";
export { dump, faults, resetStats, stats } from "./dump.ts";
export { blast, describeFault, origins, why } from "./explain.ts";
