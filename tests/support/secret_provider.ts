/**
 * A program that serves secrets on a gateway's machine (`sds://NAME`).
 *
 * @module
 */
import { generateKey, issueAuthority, issueLeaf, privateKeyPem } from "../../lib/kit/pki/mod.ts";
import { type SdsServer, startSds } from "../../lib/node/sds/mod.ts";

const HOUR = 3_600_000;

/** Starts it in the folder of a gateway's agent. It serves a certificate of its own as `default`. */
export async function startProvider(
  folder: string,
  host: string,
): Promise<SdsServer & { readonly root: string }> {
  const key = await generateKey({ type: "ecdsa", curve: "P256" });
  const validity = { notBefore: Date.now() - HOUR, notAfter: Date.now() + HOUR };
  const root = await issueAuthority({ organization: "provider", key, ...validity });
  const own = await generateKey({ type: "ecdsa", curve: "P256" });
  const leaf = await issueLeaf({ spki: own.spki, dnsNames: [host], ...validity }, {
    certificate: root,
    key,
  });
  const current = {
    chain: leaf.pem,
    key: await privateKeyPem(own, "pkcs8"),
    roots: root.pem,
    version: "1",
    rootsVersion: "1",
  };
  const sockets = `${folder}/var/run/secrets/credential-uds`;
  await Deno.mkdir(sockets, { recursive: true });
  const server = await startSds({
    socket: `${sockets}/socket`,
    debounceMs: 10,
    certificates: { current: () => current, onChange: () => () => {}, stop() {} },
  });
  return { ...server, root: root.pem };
}
