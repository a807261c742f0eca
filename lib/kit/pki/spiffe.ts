/**
 * SPIFFE ids of workloads: `spiffe://TRUST_DOMAIN/ns/NAMESPACE/sa/SERVICE_ACCOUNT`.
 *
 * @module
 */
import { pkiError } from "./error.ts";

/** Identity of a workload. */
export interface SpiffeId {
  readonly trustDomain: string;
  readonly namespace: string;
  readonly serviceAccount: string;
}

/** Longest id, bytes; https://github.com/spiffe/spiffe/blob/main/standards/SPIFFE-ID.md section 2.3. */
const MAX_ID = 2048;
/** A trust domain by the same document, section 2.1. */
const TRUST_DOMAIN = /^[a-z0-9._-]{1,255}$/;
/** A segment of a path by the same document, section 2.2. */
const SEGMENT = /^(?!\.{1,2}$)[a-zA-Z0-9._-]{1,253}$/;

/** The text of an id. Throws `MeshError` `pki-name-invalid` for parts that an id cannot have. */
export function spiffeText({ trustDomain, namespace, serviceAccount }: SpiffeId): string {
  const what = "the SPIFFE id";
  if (!TRUST_DOMAIN.test(trustDomain)) throw invalid(what, "trust domain", trustDomain);
  if (!SEGMENT.test(namespace)) throw invalid(what, "namespace", namespace);
  if (!SEGMENT.test(serviceAccount)) throw invalid(what, "service account", serviceAccount);
  return `spiffe://${trustDomain}/ns/${namespace}/sa/${serviceAccount}`;
}

/** The id of a text; `undefined` for a text that is not the id of a workload. */
export function parseSpiffe(text: string): SpiffeId | undefined {
  if (text.length > MAX_ID || !text.startsWith("spiffe://")) return undefined;
  const [trustDomain = "", ns, namespace = "", sa, serviceAccount = "", ...more] = text
    .slice("spiffe://".length).split("/");
  if (ns !== "ns" || sa !== "sa" || more.length > 0) return undefined;
  const isValid = TRUST_DOMAIN.test(trustDomain) && SEGMENT.test(namespace) &&
    SEGMENT.test(serviceAccount);
  return isValid ? { trustDomain, namespace, serviceAccount } : undefined;
}

/** Reports if a text can be a trust domain. */
export function isTrustDomain(text: string): boolean {
  return TRUST_DOMAIN.test(text);
}

function invalid(what: string, part: string, text: string): Error {
  return pkiError(what, `${JSON.stringify(text)} cannot be a ${part}`, "pki-name-invalid");
}
