/**
 * Host names: DNS labels, full names, names with a leading wildcard.
 *
 * @module
 */

/** Longest label of RFC 1123. */
export const MAX_LABEL_LENGTH = 63;
/** Longest name of RFC 1035, without the root's dot. */
export const MAX_HOST_LENGTH = 255;

/** Lower-case letters, digits and inner dashes, at most 63: names of namespaces and ports. */
export function isDnsLabel(text: string): boolean {
  return text.length <= MAX_LABEL_LENGTH && /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/.test(text);
}

/** Lower-case labels with dots, at most 253: names of objects. */
export function isDnsSubdomain(text: string): boolean {
  return text.length <= 253 &&
    /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/.test(text);
}

/** A host name of one or more labels, in any case, without wildcards; one trailing dot is allowed. */
export function isFqdn(text: string): boolean {
  const name = text.endsWith(".") ? text.slice(0, -1) : text;
  return name.length <= MAX_HOST_LENGTH && name.split(".").every(isHostLabel);
}

/** A host name whose first label may be, or begin with, a wildcard: `*`, `*.example.com`, `*x.com`. */
export function isWildcardHost(text: string): boolean {
  if (!text.startsWith("*")) return isFqdn(text);
  if (text === "*") return true;
  const rest = text.startsWith("*.") ? text.slice(2) : text.slice(1);
  // `*-x.com` is a wildcard with the rest of a label, so a leading dash is allowed.
  return isFqdn(text.startsWith("*.") ? rest : rest.replace(/^-+(?=.)/, ""));
}

function isHostLabel(label: string): boolean {
  return label.length <= MAX_LABEL_LENGTH &&
    /^[a-zA-Z0-9](?:[-a-zA-Z0-9]*[a-zA-Z0-9])?$/.test(label);
}
