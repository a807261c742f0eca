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
  const needs = (property: string) => open.some((one) => one.property.includes(property));
  const remedies = [
    ...(subject.principalAssumed === true && needs("principal") ? [GATEWAY] : []),
    ...(subject.assumedAddresses?.includes(subject.remoteIp) === true && needs("address")
      ? ["Give the client's address with --client IP."]
      : []),
  ];
  return undecided(
    `whether access is granted${what}`,
    remedies.length === 0 ? undefined : remedies.join(" "),
  );
}

/** The remedy for a gateway of which nothing tells the service account. */
const GATEWAY =
  "Tell the gateway's account by a WorkloadEntry with the labels of its selector, or " +
  "ask a daemon.";
