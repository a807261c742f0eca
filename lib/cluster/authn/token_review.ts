/**
 * Tokens of service accounts that the orchestrator verifies (`TokenReview`).
 *
 * @module
 */
import { decodeJwt } from "jose";
import { hash, messageOf, printable } from "../../kit/base/mod.ts";
import { counter } from "../../kit/metrics/mod.ts";
import type { ReviewedUser, TokenReviewResult } from "../../kit/orch/mod.ts";
import { AuthnError } from "./error.ts";
import { MAX_TOKEN, serviceAccountOf } from "./service_account.ts";
import type { TokenIdentity, TokenVerifier } from "./token.ts";

const reviews = counter({
  name: "mesh_authn_token_reviews_total",
  help: "Requests to the orchestrator to verify a token, by result.",
  labels: ["result"],
});

/**
 * Asks one cluster about a token. Rejects if the cluster cannot be asked.
 *
 * @param audiences the token must have one of them; empty: the API server's own
 */
export type ReviewToken = (
  token: string,
  audiences: readonly string[],
) => Promise<TokenReviewResult>;

/** Options of the verification by the orchestrator. */
export interface TokenReviewOptions {
  /** Trust domain of identities that tokens give. */
  readonly trustDomain: string;
  /** Audiences of which a token must have one. */
  readonly audiences: readonly string[];
  /**
   * The review of a cluster by its id, `undefined` for the daemon's own; the result is `undefined`
   * for an unknown cluster.
   */
  readonly reviewOf: (cluster: string | undefined) => ReviewToken | undefined;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Time that an accepted token is not reviewed again, ms. Default: 10 s. */
  readonly acceptedMs?: number;
  /** Time that a refused token is not reviewed again, ms. Default: 1 s. */
  readonly refusedMs?: number;
  /** Tokens whose results are kept. Default: 5,000. */
  readonly kept?: number;
}

/** API servers keep the results of their own authenticators for 10 s, too. */
const ACCEPTED_MS = 10_000;
const REFUSED_MS = 1_000;
const KEPT = 5_000;
/** Reviews at the same time; further ones are refused when so many wait. */
const MAX_WAITING = 1_000;

/** A result that is kept, without the token. */
interface Known {
  readonly result: Promise<TokenIdentity>;
  /** The begin of the review: a clock that was set back to before it ends the result's use. */
  readonly from: number;
  until: number;
}

/**
 * Creates a verifier. Results are kept for a short time by the hash of the token and the cluster, so
 * that proxies that connect again together do not flood the API server. A deleted account or pod
 * is noticed when that time is over. A review that failed (no answer) is not kept.
 */
export function tokenReviewVerifier(options: TokenReviewOptions): TokenVerifier {
  const { clock, acceptedMs = ACCEPTED_MS, refusedMs = REFUSED_MS, kept = KEPT } = options;
  const known = new Map<string, Known>();
  let waiting = 0;
  const ask = async (token: string, cluster: string | undefined, entry: Known) => {
    if (waiting >= MAX_WAITING) throw new Unanswered(`${waiting} tokens wait for the orchestrator`);
    waiting++;
    try {
      const identity = await review(options, token, cluster);
      entry.until = Math.min(clock() + acceptedMs, expiryOf(token));
      return identity;
    } catch (error) {
      entry.until = error instanceof Unanswered ? 0 : clock() + refusedMs;
      throw error;
    } finally {
      waiting--;
    }
  };
  return (token, cluster) => {
    if (token.length > MAX_TOKEN) {
      return Promise.reject(new AuthnError(`a token longer than ${MAX_TOKEN} characters`));
    }
    const key = hash(JSON.stringify([cluster ?? "", token]));
    const found = known.get(key);
    const now = clock();
    if (found !== undefined && found.from <= now && now < found.until) return found.result;
    known.delete(key);
    if (known.size >= kept) known.delete(known.keys().next().value!);
    // Callers with the same token share a review that is under way.
    const entry = { from: now, until: Infinity } as Known & { result: Promise<TokenIdentity> };
    entry.result = ask(token, cluster, entry);
    known.set(key, entry);
    return entry.result;
  };
}

/** The orchestrator did not answer, so nothing is known about the token. */
class Unanswered extends AuthnError {}

async function review(
  { trustDomain, audiences, reviewOf }: TokenReviewOptions,
  token: string,
  cluster: string | undefined,
): Promise<TokenIdentity> {
  const ask = reviewOf(cluster);
  if (ask === undefined) {
    throw new AuthnError(`the token is of an unknown cluster, ${printable(cluster ?? "")}`);
  }
  let result: TokenReviewResult;
  try {
    result = await ask(token, audiences);
  } catch (error) {
    reviews.inc({ result: "unanswered" });
    throw new Unanswered(`the orchestrator cannot verify the token: ${messageOf(error)}`);
  }
  if (!result.authenticated) {
    reviews.inc({ result: "refused" });
    const needed = audiences.length === 0 ? "" : ` (audience ${audiences.join(" or ")})`;
    throw new AuthnError(`the orchestrator refuses the token${needed}: ${result.reason}`);
  }
  const account = serviceAccountOf(result.user.username);
  if (account === undefined) {
    reviews.inc({ result: "refused" });
    throw new AuthnError(`the token is of ${result.user.username}, which is no service account`);
  }
  reviews.inc({ result: "accepted" });
  const pod = podOf(result.user.extra, account.namespace);
  return { trustDomain, ...account, ...(pod === undefined ? {} : { pod: { cluster, ...pod } }) };
}

/** The pod that a token is bound to, from the names that the API server gives (`extra`). */
function podOf(extra: ReviewedUser["extra"], namespace: string) {
  const [name] = extra["authentication.kubernetes.io/pod-name"] ?? [];
  const [uid] = extra["authentication.kubernetes.io/pod-uid"] ?? [];
  return name === undefined || uid === undefined ? undefined : { namespace, name, uid };
}

/** The end of a token by its own claim, ms since 1970; unknown for tokens of other forms. */
function expiryOf(token: string): number {
  try {
    return (decodeJwt(token).exp ?? Infinity) * 1000;
  } catch {
    return Infinity;
  }
}
