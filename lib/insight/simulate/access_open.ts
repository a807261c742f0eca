/**
 * Access decisions that depend on something that is not known.
 *
 * @module
 */
import type { AccessTrace } from "./access_trace.ts";
import { undecided } from "./journey.ts";
import type { Subject } from "./rbac.ts";
import type { Ending } from "./verdict.ts";

/** The ending of rules that are not decidable, with what is not known. */
export function accessUndecided({ nearest }: AccessTrace, subject: Subject): Ending[] {
  const open = (nearest?.clauses ?? []).filter(({ holds }) => holds === undefined);
  const what = open.length === 0
    ? ""
    : `: the ${[...new Set(open.map(({ property }) => property))].join(", ")} is not known`;
  const isAssumed = subject.assumedAddresses?.includes(subject.remoteIp) === true;
  return undecided(
    `whether access is granted${what}`,
    isAssumed ? "Give the client's address with --client IP." : undefined,
  );
}
