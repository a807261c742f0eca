/**
 * Bearer tokens of the header `authorization`.
 *
 * @module
 */
import { messageOf } from "../base/mod.ts";
import type { SpiffeId } from "../pki/mod.ts";
import type { CredentialKind } from "./caller.ts";
import { AuthnError } from "./error.ts";
import type { Authenticator } from "./request.ts";

/** Verifies a token. Rejects with `AuthnError`. */
export type TokenVerifier = (token: string, cluster: string | undefined) => Promise<SpiffeId>;

/** Verifiers by the kind of the caller that they give. */
export type TokenVerifiers = readonly (readonly [CredentialKind, TokenVerifier])[];

/** Authenticates by a bearer token: the first verifier that accepts it decides. */
export function tokenAuthenticator(verifiers: TokenVerifiers): Authenticator {
  return async ({ metadata }) => {
    const token = bearerOf(metadata.get("authorization"));
    if (token === undefined) return undefined;
    const reasons: string[] = [];
    for (const [kind, verify] of verifiers) {
      try {
        const id = await verify(token, metadata.get("clusterid"));
        return { kind, identities: [id] };
      } catch (error) {
        reasons.push(messageOf(error));
      }
    }
    throw new AuthnError(reasons.join("; ") || "tokens are not accepted: JWT_RULE is not set");
  };
}

/** The token of a header; `undefined` when it is of another scheme. */
export function bearerOf(header: string | undefined): string | undefined {
  return /^bearer +([^\s,]+)$/i.exec(header ?? "")?.[1];
}
