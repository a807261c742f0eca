/**
 * The authority of the daemons, and the certificates of the proxies.
 *
 * @module
 */
import {
  generateKey,
  issueLeaf,
  type Issuer,
  privateKeyPem,
  spiffeText,
} from "../../../lib/kit/pki/mod.ts";
import type { RpcClientTls } from "../../../lib/kit/rpc/mod.ts";
import { namespaceOf, NAMESPACES } from "../../support/corpus.ts";
import { writePluggedCa } from "../../support/identity.ts";

/** Service account of all workloads. */
export const ACCOUNT = "app";

const HOUR = 3_600_000;

/** Certificates of one authority. */
export interface Identities {
  /** TLS of the proxies of each namespace, in order. */
  readonly proxies: readonly RpcClientTls[];
  /** TLS of a server on `localhost`. */
  readonly server: Required<Pick<RpcClientTls, "ca" | "cert" | "key">>;
}

/** Writes an authority into a directory, and issues the certificates. */
export async function prepareIdentities(dir: string): Promise<Identities> {
  const issuer = await writePluggedCa(dir);
  const proxies = Array.from({ length: NAMESPACES }, (_, i) => {
    const id = { trustDomain: "cluster.local", namespace: namespaceOf(i), serviceAccount: ACCOUNT };
    return leaf(issuer, { uris: [spiffeText(id)] });
  });
  return {
    proxies: await Promise.all(proxies),
    server: await leaf(issuer, { dnsNames: ["localhost"] }),
  };
}

async function leaf(
  issuer: Issuer,
  names: { readonly uris?: readonly string[]; readonly dnsNames?: readonly string[] },
): Promise<Identities["server"]> {
  const now = Date.now();
  const key = await generateKey({ type: "ecdsa", curve: "P256" });
  const validity = { notBefore: now - HOUR / 2, notAfter: now + HOUR };
  const { pem } = await issueLeaf({ spki: key.spki, ...names, ...validity }, issuer);
  return { ca: issuer.certificate.pem, cert: pem, key: await privateKeyPem(key, "pkcs8") };
}
