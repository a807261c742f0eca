/**
 * A service with a rule for tokens, and an issuer of such tokens.
 *
 * @module
 */
import { exportJWK, generateKeyPair, SignJWT } from "jose";

/** An issuer of tokens. */
export interface TokenSigner {
  /** Its key set. */
  readonly jwks: string;
  /** Signs a token of the issuer `i` for the audience `shop`, with further claims. */
  readonly sign: (claims?: Readonly<Record<string, unknown>>) => Promise<string>;
}

/** Makes an issuer with a key of its own. */
export async function makeSigner(): Promise<TokenSigner> {
  const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
  const key = { ...await exportJWK(publicKey), kid: "k", alg: "ES256" };
  return {
    jwks: JSON.stringify({ keys: [key] }),
    sign: (claims = {}) =>
      new SignJWT({ iss: "i", aud: "shop", ...claims })
        .setProtectedHeader({ alg: "ES256", kid: "k" }).sign(privateKey),
  };
}

/**
 * A service `a.example` of one workload whose requests carry tokens of the issuer `i`.
 *
 * @param rule further fields of the rule for tokens
 */
export function tokenMesh(rule: string): string {
  return `apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: a, namespace: shop}
spec:
  hosts: [a.example]
  location: MESH_INTERNAL
  resolution: STATIC
  addresses: [10.1.0.1]
  ports: [{number: 80, name: http, protocol: HTTP}]
  endpoints: [{address: 172.16.0.1, labels: {app: a}, serviceAccount: a}]
---
apiVersion: security.mesh.io/v1
kind: RequestAuthentication
metadata: {name: tokens, namespace: shop}
spec: {jwtRules: [{issuer: i, ${rule}}]}
`;
}
