/**
 * The authority of the daemons, and the certificates of the proxies.
 *
 * @module
 */
import { generateKey, issueLeaf, privateKeyPem, spiffeText } from "../../../lib/kit/pki/mod.ts";
import type { RpcClientTls } from "../../../lib/kit/rpc/mod.ts";
import { namespaceOf, NAMESPACES } from "../../support/corpus.ts";
import { writePluggedCa } from "../../support/identity.ts";

/** Service account of all workloads. */
export const ACCOUNT = "app";

const HOUR = 3_600_000;

/** Writes an authority into a directory; returns the TLS of the proxies of each namespace, in order. */
export async function prepareIdentities(dir: string): Promise<RpcClientTls[]> {
  const issuer = await writePluggedCa(dir);
  const now = Date.now();
  return await Promise.all(Array.from({ length: NAMESPACES }, async (_, i) => {
    const key = await generateKey({ type: "ecdsa", curve: "P256" });
    const id = { trustDomain: "cluster.local", namespace: namespaceOf(i), serviceAccount: ACCOUNT };
    const { pem } = await issueLeaf({
      spki: key.spki,
      uris: [spiffeText(id)],
      notBefore: now - HOUR / 2,
      notAfter: now + HOUR,
    }, issuer);
    return { ca: issuer.certificate.pem, cert: pem, key: await privateKeyPem(key, "pkcs8") };
  }));
}
