/**
 * The right of gateways to receive credentials: their service account may list the secrets of its
 * namespace (`SubjectAccessReview`), in the cluster of the gateway.
 *
 * @module
 */
import {
  type CredentialQuestion,
  type CredentialRight,
  MESH_CREDENTIAL_ACCOUNTS,
  MESH_CREDENTIAL_ANONYMOUS,
} from "../../lib/cluster/authn/mod.ts";
import { messageOf } from "../../lib/kit/base/mod.ts";
import { intervalLogger, scope } from "../../lib/kit/log/mod.ts";
import { type OrchClient, reviewAccess } from "../../lib/kit/orch/mod.ts";
import type { SpiffeId } from "../../lib/kit/pki/mod.ts";
import type { ClusterClients } from "./token_reviews.ts";

const log = scope("authorization");

/**
 * Reports if clients of this machine read credentials without an identity, and warns if they do.
 *
 * @param clients clients of the clusters; `undefined` without an orchestrator
 */
export function localCredentials(clients: ClusterClients | undefined): boolean {
  if (!MESH_CREDENTIAL_ANONYMOUS.get()) return false;
  if (clients !== undefined || MESH_CREDENTIAL_ACCOUNTS.get() !== "") {
    const other = clients === undefined ? "MESH_CREDENTIAL_ACCOUNTS" : "an orchestrator";
    log.warn(`MESH_CREDENTIAL_ANONYMOUS has no effect with ${other}`);
    return false;
  }
  log.warn(
    "MESH_CREDENTIAL_ANONYMOUS is set: every program on this machine can read the keys of gateways",
  );
  return true;
}
const logFailure = intervalLogger(log);

/** Time that an answer is used, ms. */
const KEPT_MS = 60_000;
/** Longest time for a review, ms; the stream of a proxy waits for it. */
const REVIEW_MS = 5_000;
/** Accounts whose answers are kept. */
const KEPT = 10_000;

/** Decides about the credentials of the namespace of a proxy. */
export type CredentialAccess = (question: CredentialQuestion) => Promise<CredentialRight>;

/** Dependencies of {@link credentialAccess}. */
export interface CredentialAccessOptions {
  readonly clients: ClusterClients;
  /** Cluster id by alias. */
  readonly aliases: ReadonlyMap<string, string>;
  /** Milliseconds, monotonic. */
  readonly clock?: () => number;
}

interface Known {
  readonly allowed: boolean;
  readonly until: number;
}

const REFUSED: CredentialRight = { allowed: false };

/**
 * Asks the API server of the cluster that the proxy claims, whose secrets it would be sent. A proxy of
 * an unknown cluster gets none, nor does one whose token another cluster has reviewed. While the server
 * does not answer, the last answer stays in use, so that a gateway that connects again keeps its
 * certificates; an account without one gets none.
 */
export function credentialAccess(
  { clients, aliases, clock = () => performance.now() }: CredentialAccessOptions,
): CredentialAccess {
  const known = new Map<string, Known>();
  const review = async (client: OrchClient, cluster: string, id: SpiffeId): Promise<boolean> => {
    const { namespace, serviceAccount } = id;
    const key = JSON.stringify([cluster, namespace, serviceAccount]);
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
      if (!allowed) {
        log.debug("an account may not list secrets of its namespace", { account, cluster });
      }
      return allowed;
    } catch (error) {
      logFailure(key)?.warn("the right to read credentials cannot be reviewed", {
        account,
        cluster,
        reason: messageOf(error),
        decision: before?.allowed === true ? "the last answer, allowed" : "refused",
      });
      return before?.allowed ?? false;
    }
  };
  return async ({ id, cluster: claimed, reviewedBy, isListed }) => {
    const client = clients(claimed);
    if (client === undefined) return REFUSED;
    if (reviewedBy !== undefined && clients(reviewedBy) !== client) {
      logFailure(`${claimed} ${reviewedBy}`)?.warn(
        "a proxy gets no credentials: its token is of another cluster than it claims",
        { account: `${id.namespace}/${id.serviceAccount}`, claimed, reviewedBy },
      );
      return REFUSED;
    }
    const isOwn = client === clients(undefined);
    const cluster = isOwn ? "" : aliases.get(claimed) ?? claimed;
    if (!isListed && !await review(client, cluster, id)) return REFUSED;
    return { allowed: true, ...(isOwn ? {} : { cluster }) };
  };
}
