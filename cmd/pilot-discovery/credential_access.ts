/**
 * The right of gateways to receive credentials: their service account may list the secrets of its
 * namespace (`SubjectAccessReview`).
 *
 * @module
 */
import { messageOf } from "../../lib/base/mod.ts";
import { intervalLogger, scope } from "../../lib/log/mod.ts";
import { reviewAccess } from "../../lib/orch/mod.ts";
import type { SpiffeId } from "../../lib/pki/mod.ts";
import type { ClusterClients } from "./token_reviews.ts";

const log = scope("authorization");
const logFailure = intervalLogger(log);

/** Time that an answer is used, ms. */
const KEPT_MS = 60_000;
/** Longest time for a review, ms; the stream of a proxy waits for it. */
const REVIEW_MS = 5_000;
/** Accounts whose answers are kept. */
const KEPT = 10_000;

/** Reports if a proxy of an identity may read the credentials of its namespace. */
export type CredentialAccess = (
  identity: SpiffeId,
  cluster: string | undefined,
) => Promise<boolean>;

interface Known {
  readonly allowed: boolean;
  readonly until: number;
}

/**
 * Asks the API server of the daemon's cluster. Proxies of remote clusters get no credentials: the
 * secrets of their clusters are not read, and those of this cluster are not theirs. While the server does not answer, the last answer
 * stays in use, so that a gateway that connects again keeps its certificates; an account without
 * one gets none.
 *
 * @param clock milliseconds, monotonic
 */
export function credentialAccess(
  clients: ClusterClients,
  clock: () => number = () => performance.now(),
): CredentialAccess {
  const known = new Map<string, Known>();
  return async ({ namespace, serviceAccount }, cluster) => {
    const client = clients(cluster);
    if (client === undefined || client !== clients(undefined)) return false;
    const key = JSON.stringify([cluster ?? "", namespace, serviceAccount]);
    const before = known.get(key);
    if (before !== undefined && clock() < before.until) return before.allowed;
    const account = `${namespace}/${serviceAccount}`;
    try {
      const { allowed } = await reviewAccess(client, {
        user: `system:serviceaccount:${namespace}:${serviceAccount}`,
        groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`],
        resource: { verb: "list", resource: "secrets", namespace },
      }, AbortSignal.timeout(REVIEW_MS));
      known.delete(key);
      if (known.size >= KEPT) known.delete(known.keys().next().value!);
      known.set(key, { allowed, until: clock() + KEPT_MS });
      if (!allowed) log.debug("an account may not list secrets of its namespace", { account });
      return allowed;
    } catch (error) {
      logFailure(account)?.warn("the right to read credentials cannot be reviewed", {
        account,
        reason: messageOf(error),
        decision: before?.allowed === true ? "the last answer, allowed" : "refused",
      });
      return before?.allowed ?? false;
    }
  };
}
