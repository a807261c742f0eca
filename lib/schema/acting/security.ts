/**
 * Fields that act, of the kinds that say who may call whom.
 *
 * @module
 */

import type { Acting } from "./types.ts";

/** By kind. */
export const SECURITY: Readonly<Record<string, Acting>> = {
  AuthorizationPolicy: {
    paths: ["selector", "targetRef", "targetRefs", "rules", "action", "provider"],
  },
  RequestAuthentication: {
    paths: [
      "selector",
      "targetRef",
      "targetRefs",
      ...[
        "issuer",
        "audiences",
        "jwksUri",
        "jwks",
        "fromHeaders",
        "fromParams",
        "fromCookies",
        "forwardOriginalToken",
        "outputPayloadToHeader",
        "outputClaimToHeaders",
        "timeout",
        "spaceDelimitedClaims",
        "presence",
      ].map((field) => `jwtRules[].${field}`),
    ],
  },
  PeerAuthentication: {
    paths: ["selector", "mtls", "portLevelMtls"],
  },
};
