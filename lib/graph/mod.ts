/**
 * The engine: tables of rows, derived cells with recorded reads, indexes,
 * collections with logs, layers. Knows nothing of meshes.
 *
 * A transaction writes rows and marks what may be out of date (push); a read
 * verifies the marked cells below it and computes those of which a dependency
 * really changed (pull); a publication does so for everything that is kept. What
 * each computation read is recorded once, and answers three questions: what to
 * invalidate, where a value comes from, and what an edit touches.
 *
 * @module
 */
export type * from "./api.ts";
export { DependencyFault } from "./fault.ts";
export { createGraph } from "./graph.ts";
