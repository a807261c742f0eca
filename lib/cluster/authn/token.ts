/**
 * Bearer tokens of the header `authorization`.
 *
 * @module
 */
import { messageOf } from "../../kit/base/mod.ts";
import type { SpiffeId } from "../../kit/pki/mod.ts";
import type { CredentialKind, PodOfCaller } from "./caller.ts";
import { AuthnError } from "./error.ts";
import type { Authenticator } from "./request.ts";

/** The identity that a token gives, and the pod that it is bound to. */
export interface TokenIdentity extends SpiffeId {
  readonly pod?: PodOfCaller;
}

/** Verifies a token. Rejects with `AuthnError`. */
export type TokenVerifier = (token: string, cluster: string | undefined) => Promise<TokenIdentity>;

/** Verifiers by the kind of the caller that they give. */
export type TokenVerifiers = readonly (readonly [CredentialKind, TokenVerifier])[];

const NO_VERIFIER = "tokens are not accepted: there is no JWT_RULE, and no orchestrator";

/** Authenticates by a bearer token: the first verifier that accepts it decides. */
export function tokenAuthenticator(verifiers: TokenVerifiers): Authenticator {
  return async ({ metadata }) => {
    const token = bearerOf(metadata.get("authorization"));
    if (token === undefined) return undefined;
    const reasons: string[] = [];
    for (const [kind, verify] of verifiers) {
      try {
        const { pod, ...id } = await verify(token, metadata.get("clusterid"));
        return { kind, identities: [id], ...(pod === undefined ? {} : { pod }) };
      } catch (error) {
        reasons.push(messageOf(error));
      }
    }
    throw new AuthnError(reasons.join("; ") || NO_VERIFIER);
  };
}

/** The token of a header; `undefined` when it is of another scheme. */
export function bearerOf(header: string | undefined): string | undefined {
  return /^bearer +([^\s,]+)$/i.exec(header ?? "")?.[1];
}
