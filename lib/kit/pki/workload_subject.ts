/**
 * The workload in the subject of a certificate: one attribute `description` (2.5.4.13, ITU-T X.520,
 * section 6.5.2) with the parts `workload/canonical service/canonical revision/cluster/app/version`.
 *
 * The workload is a claim of the agent, for telemetry only: the identity of the certificate is its
 * SPIFFE id. The common name is never set, because some TLS clients accept it as a DNS name.
 *
 * @module
 */
import { children, type Der, oidText } from "./der.ts";

/** The attribute `description`. */
export const OID_DESCRIPTION = "2.5.4.13";

/** Number of parts. */
const PARTS = 6;
/** Longest value; ub-description of X.520 is 1,024. */
const MAX_LENGTH = 512;
/** Longest part: a name of the orchestrator (RFC 1123) has at most 253 characters. */
const PART = /^[\w.:@-]{1,253}$/;
/** UTF8String and PrintableString. */
const STRINGS: readonly number[] = [0x0c, 0x13];

/** Reports if a value has all parts, with allowed characters and length. */
export function isWorkloadSubject(value: string): boolean {
  const parts = value.split("/");
  return value.length <= MAX_LENGTH && parts.length === PARTS &&
    parts.every((part) => PART.test(part));
}

/**
 * Returns the value for a workload, in the order of the module's comment. Characters that are not
 * allowed become `_`.
 *
 * @returns `undefined` if the value is too long or a part is missing
 */
export function workloadSubject(parts: readonly string[]): string | undefined {
  const value = parts.map((part) => part.replace(/[^\w.:@-]/g, "_")).join("/");
  return isWorkloadSubject(value) ? value : undefined;
}

/**
 * Returns the workload of a subject.
 *
 * @returns `undefined` if the subject has none, more than one, or a malformed one
 */
export function readWorkloadSubject(subject: Der, what: string): string | undefined {
  const found = children(subject, what).flatMap((relative) =>
    children(relative, what).flatMap((attribute) => valueOf(children(attribute, what), what))
  );
  const [value] = found;
  return found.length === 1 && value !== undefined && isWorkloadSubject(value) ? value : undefined;
}

function valueOf([type, value]: readonly Der[], what: string): string[] {
  if (!type || !value || oidText(type, what) !== OID_DESCRIPTION) return [];
  if (!STRINGS.includes(value.tag)) return [""];
  return [new TextDecoder().decode(value.content)];
}
