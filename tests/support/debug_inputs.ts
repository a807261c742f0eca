/**
 * Inputs of the debug pages for tests: an empty daemon, with parts that a test replaces.
 *
 * @module
 */
import type { DebugInputs } from "../../lib/debug/mod.ts";
import type { History } from "../../lib/history/mod.ts";

const EMPTY_HISTORY: History = {
  revisions: () => [],
  revision: () => undefined,
  at: () => undefined,
  diff: () => undefined,
};

/** The inputs of an empty daemon; access to parts that have no default fails. */
export function debugInputs(
  over: Partial<DebugInputs> & Pick<DebugInputs, "mesh">,
): DebugInputs {
  const inputs: Partial<DebugInputs> = {
    sessions: () => [],
    objects: () => [],
    problems: () => [],
    warnings: () => [],
    proxyWarnings: () => [],
    analysis: () => [],
    receipts: { of: () => [], latest: () => [] },
    pushes: () => [],
    quarantined: () => [],
    history: EMPTY_HISTORY,
    audit: () => ({ audited: 0, skipped: 0, differences: 0, passes: 0, reports: [] }),
    now: () => 0,
    startedAt: 0,
    clusterId: "test",
    version: "1.2.3",
    ...over,
  };
  return inputs as DebugInputs;
}
