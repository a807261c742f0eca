/**
 * The authentication of callers according to the settings.
 *
 * @module
 */
import { scope } from "../../kit/log/mod.ts";
import { counter } from "../../kit/metrics/mod.ts";
import { type Certificate, spiffeText } from "../../kit/pki/mod.ts";
import type { Caller } from "./caller.ts";
import { certificateAuthenticator } from "./certificate.ts";
import { AuthnError } from "./error.ts";
import { forwardedAuthenticator } from "./forwarded.ts";
import { jwtVerifier, readJwtRule } from "./jwt.ts";
import type { Authenticator, AuthnRequest } from "./request.ts";
import { tokenAuthenticator, type TokenVerifier, type TokenVerifiers } from "./token.ts";
import { type TokenReviewOptions, tokenReviewVerifier } from "./token_review.ts";
import * as env from "./variables.ts";

const log = scope("authn");

const failures = counter({
  name: "mesh_authn_failures_total",
  help: "Callers whose credentials were refused, or who had none where some are needed.",
});

/** Dependencies of authentication. */
export interface AuthnOptions {
  readonly trustDomain: string;
  readonly roots: (trustDomain: string) => readonly Certificate[] | undefined;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** The review of tokens by clusters; `undefined` without an orchestrator. */
  readonly reviewOf?: TokenReviewOptions["reviewOf"];
}

/** Authentication of callers. */
export interface Authn {
  /** The caller of a request. Rejects with `AuthnError` when there are no valid credentials. */
  authenticate(request: AuthnRequest): Promise<Caller>;
}

/** Reads the settings. Throws `MeshError` `jwt-rule`. */
export function createAuthn(options: AuthnOptions): Authn {
  const ranges = listed(env.TRUSTED_GATEWAY_CIDR.get());
  const authenticators: Authenticator[] = [
    certificateAuthenticator(options),
    tokenAuthenticator(verifiersOf(options)),
    ...ranges.length > 0 ? [forwardedAuthenticator(ranges)] : [],
  ];
  return {
    async authenticate(request) {
      try {
        return await first(authenticators, request);
      } catch (error) {
        failures.inc();
        throw error;
      }
    },
  };
}

/** The first authenticator that finds credentials decides; invalid ones are not passed over. */
async function first(authenticators: readonly Authenticator[], request: AuthnRequest) {
  for (const authenticator of authenticators) {
    const caller = await authenticator(request);
    if (!caller) continue;
    log.debug("authenticated", {
      peer: request.peer,
      kind: caller.kind,
      identity: spiffeText(caller.identities[0]!),
    });
    return caller;
  }
  throw new AuthnError("there are no credentials");
}

function verifiersOf({ trustDomain, clock, reviewOf }: AuthnOptions): TokenVerifiers {
  const text = env.JWT_RULE.get() ?? "";
  const verifiers: [Caller["kind"], TokenVerifier][] = [];
  if (text !== "") {
    const rule = readJwtRule(text);
    const audiences = rule.audiences.length > 0 ? rule.audiences : env.audiences();
    const issuer = env.TOKEN_ISSUER.get() || rule.issuer;
    const options = { rule: { ...rule, audiences, issuer }, trustDomain, clock };
    verifiers.push(["jwt", jwtVerifier(options)]);
  }
  if (reviewOf) {
    const options = { trustDomain, clock, audiences: env.audiences(), reviewOf };
    verifiers.push(["token-review", tokenReviewVerifier(options)]);
  }
  return verifiers;
}

function listed(text: string | undefined): string[] {
  return (text ?? "").split(",").map((part) => part.trim()).filter((part) => part !== "");
}
