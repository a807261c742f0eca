/**
 * Client certificates. The TLS handshake has proved that the client has the key; that an authority
 * of its trust domain issued the certificate is checked here, against the roots of now.
 *
 * @module
 */
import { messageOf } from "../../kit/base/mod.ts";
import {
  type Certificate,
  parseSpiffe,
  readCertificate,
  USAGE,
  verifyChain,
} from "../../kit/pki/mod.ts";
import type { Caller } from "./caller.ts";
import { AuthnError } from "./error.ts";
import type { Authenticator } from "./request.ts";

/** Options of the check of client certificates. */
export interface CertificateOptions {
  /** The roots of a trust domain; `undefined` for one that is not trusted. */
  readonly roots: (trustDomain: string) => readonly Certificate[] | undefined;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/** Authenticates by a client certificate. */
export function certificateAuthenticator(options: CertificateOptions): Authenticator {
  return async ({ certificates }) => {
    if (!certificates || certificates.length === 0) return undefined;
    return await check(certificates, options);
  };
}

async function check(
  certificates: readonly Uint8Array[],
  { roots, clock }: CertificateOptions,
): Promise<Caller> {
  try {
    const [leaf, ...intermediates] = certificates.map((der) =>
      readCertificate(der, "the client certificate")
    );
    const identities = leaf!.uris.map(parseSpiffe);
    const [id, ...more] = identities;
    if (!id || more.length > 0) throw new AuthnError("it does not have one SPIFFE id");
    const trusted = roots(id.trustDomain);
    if (!trusted) throw new AuthnError(`the trust domain ${id.trustDomain} is not trusted`);
    await verifyChain(leaf!, {
      intermediates,
      roots: trusted,
      now: clock(),
      usage: USAGE.client,
    });
    return { kind: "certificate", identities: [id] };
  } catch (error) {
    throw new AuthnError(`the client certificate is refused: ${messageOf(error)}`);
  }
}
