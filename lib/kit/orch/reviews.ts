/**
 * Reviews: who a token belongs to, and what an identity may do.
 *
 * @module
 */
import type { OrchClient } from "./client.ts";

/** An identity as the orchestrator names it. */
export interface ReviewedUser {
  /** Such as `system:serviceaccount:NAMESPACE:NAME`. */
  readonly username: string;
  readonly uid: string;
  readonly groups: readonly string[];
  /** For example the pod that a token is bound to. */
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

export type TokenReviewResult =
  | {
    readonly authenticated: true;
    readonly user: ReviewedUser;
    /** The requested audiences that the token has. */
    readonly audiences: readonly string[];
  }
  | { readonly authenticated: false; readonly reason: string };

interface TokenReviewStatus {
  readonly authenticated?: boolean;
  readonly error?: string;
  readonly audiences?: readonly string[];
  readonly user?: Partial<ReviewedUser>;
}

/**
 * Asks the API server who a token belongs to.
 *
 * @param audiences the token must have one of them; empty: the server's own
 */
export async function reviewToken(
  client: OrchClient,
  token: string,
  audiences: readonly string[],
  signal?: AbortSignal,
): Promise<TokenReviewResult> {
  const { status = {} } = await client.json<{ status?: TokenReviewStatus }>({
    method: "POST",
    path: "/apis/authentication.k8s.io/v1/tokenreviews",
    body: {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenReview",
      spec: { token, ...(audiences.length === 0 ? {} : { audiences }) },
    },
    ...(signal === undefined ? {} : { signal }),
  });
  if (status.authenticated !== true) {
    return { authenticated: false, reason: status.error ?? "the token is not valid" };
  }
  const { username = "", uid = "", groups = [], extra = {} } = status.user ?? {};
  // A server that does not know audiences leaves them out, and has not checked them.
  if (audiences.length > 0 && (status.audiences ?? []).length === 0) {
    return { authenticated: false, reason: "the server did not check the token's audience" };
  }
  const user = { username, uid, groups, extra };
  return { authenticated: true, user, audiences: status.audiences ?? [] };
}

/** A request of an identity, to be judged. */
export interface AccessQuestion {
  readonly user: string;
  readonly groups?: readonly string[];
  readonly uid?: string;
  readonly extra?: Readonly<Record<string, readonly string[]>>;
  readonly resource: {
    readonly verb: string;
    readonly group?: string;
    readonly resource: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
}

/** The server's judgement. */
export interface AccessAnswer {
  readonly allowed: boolean;
  readonly reason: string;
}

/** Asks the API server if an identity may do something. */
export async function reviewAccess(
  client: OrchClient,
  { user, groups = [], uid, extra, resource }: AccessQuestion,
  signal?: AbortSignal,
): Promise<AccessAnswer> {
  const { status } = await client.json<{ status?: { allowed?: boolean; reason?: string } }>({
    method: "POST",
    path: "/apis/authorization.k8s.io/v1/subjectaccessreviews",
    body: {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SubjectAccessReview",
      spec: { user, groups, uid, extra, resourceAttributes: resource },
    },
    ...(signal === undefined ? {} : { signal }),
  });
  return { allowed: status?.allowed === true, reason: status?.reason ?? "" };
}

/** Asks for a token of a service account (`TokenRequest`). */
export async function requestToken(
  client: OrchClient,
  account: { readonly namespace: string; readonly name: string },
  audiences: readonly string[],
  seconds: number,
): Promise<{ readonly token: string; readonly expires: string }> {
  const namespace = encodeURIComponent(account.namespace);
  const { status } = await client.json<{
    status: { token: string; expirationTimestamp: string };
  }>({
    method: "POST",
    path: `/api/v1/namespaces/${namespace}/serviceaccounts/${
      encodeURIComponent(account.name)
    }/token`,
    body: {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      spec: { audiences, expirationSeconds: seconds },
    },
  });
  return { token: status.token, expires: status.expirationTimestamp };
}
