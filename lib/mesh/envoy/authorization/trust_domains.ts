/**
 * Trust domains of callers. A mesh that was renamed or merged has several.
 *
 * @module
 */

/** The name that stands for the mesh's own trust domain. */
const LOCAL = "cluster.local";

/**
 * Expands principals to every trust domain of the mesh. Principals of foreign domains and
 * principals without a domain are not changed.
 *
 * @param domains the mesh's own domain first, then its aliases
 */
export function inEveryDomain(
  principals: readonly string[],
  domains: readonly string[],
): readonly string[] {
  const out = new Set<string>();
  for (const principal of principals) {
    for (const one of variants(principal, domains)) out.add(one);
  }
  return [...out];
}

function variants(principal: string, domains: readonly string[]): readonly string[] {
  const parts = principal.split("/");
  const [domain = ""] = parts;
  // `domain/ns/NAMESPACE/sa/ACCOUNT` or a prefix of it: a rule that denies `domain/ns/a/*` denies
  // it in every domain.
  const begins = parts.length > 1 && parts.length < 5 && principal.endsWith("*");
  if ((parts.length !== 5 && !begins) || domain === "*") return [principal];
  if (domain !== LOCAL && !domains.some((one) => covers(domain, one))) return [principal];
  const rest = principal.slice(domain.length);
  return domains.map((one) => domain !== one && covers(domain, one) ? principal : one + rest);
}

function covers(pattern: string, domain: string): boolean {
  if (pattern.startsWith("*")) return domain.endsWith(pattern.slice(1));
  return pattern.endsWith("*") ? domain.startsWith(pattern.slice(0, -1)) : pattern === domain;
}
