/**
 * Validity of the certificates of the daemon and of its authority.
 *
 * @module
 */
import type { AuthoritySource } from "../../lib/cluster/ca/mod.ts";
import type { Expiry } from "../../lib/insight/debug/mod.ts";
import { readCertificates } from "../../lib/kit/pki/mod.ts";
import type { RpcTls } from "../../lib/kit/rpc/mod.ts";

/** Returns the certificates in use now; arguments are unset if they are not configured. */
export function expiriesOf(
  authority: AuthoritySource | undefined,
  tls: { current(): RpcTls | undefined } | undefined,
): readonly Expiry[] {
  return [...authorityExpiries(authority), ...serverExpiries(tls)];
}

function authorityExpiries(authority: AuthoritySource | undefined): Expiry[] {
  if (authority === undefined) return [];
  const { root, issuer, intermediates } = authority.current();
  return [
    { ...validityOf(root), name: "root of the certificate authority" },
    ...[issuer.certificate, ...intermediates].filter(({ serial }) => serial !== root.serial)
      .map((one) => ({ ...validityOf(one), name: "signing certificate of the authority" })),
  ];
}

function serverExpiries(tls: { current(): RpcTls | undefined } | undefined): Expiry[] {
  const current = tls?.current();
  if (current === undefined) return [];
  const chain = readCertificates(current.cert, "the certificate of the daemon");
  const first = chain.reduce((a, b) => a.notAfter < b.notAfter ? a : b);
  return [{ ...validityOf(first), name: "certificate of the secured listener" }];
}

function validityOf(
  { notBefore, notAfter }: Readonly<Record<"notBefore" | "notAfter", number>>,
): Omit<Expiry, "name"> {
  return { notBefore, notAfter };
}
