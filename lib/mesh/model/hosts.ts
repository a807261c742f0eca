/**
 * Host names and patterns: short names, wildcards, domains.
 *
 * @module
 */

/**
 * Expands a host without dots into the name of a service of the object's own
 * namespace, as all kinds that name hosts do; anything else stays as it is.
 *
 * @param host as written: `reviews`, `reviews.example.com`, `*.example.com`, `*`
 * @param namespace of the object that names it
 * @param domain the mesh's DNS suffix, for example `cluster.local`
 */
export function fullHost(host: string, namespace: string, domain: string): string {
  const lower = host.toLowerCase();
  if (lower.includes(".") || lower.includes("*")) return lower;
  return `${lower}.${namespace}.svc.${domain}`;
}

/** Reports if a host is a pattern: `*` or `*.suffix`. */
export function isWildcard(host: string): boolean {
  return host.startsWith("*");
}

/**
 * The patterns that cover a host, most specific first, `*` last; the host itself
 * is not among them. For `a.b.c`: `*.b.c`, `*.c`, `*`. For `*.b.c`: `*.c`, `*`.
 */
export function coveringPatterns(host: string): string[] {
  const patterns: string[] = [];
  let rest = host.startsWith("*.") ? host.slice(2) : host;
  for (;;) {
    const dot = rest.indexOf(".");
    if (dot < 0) break;
    rest = rest.slice(dot + 1);
    patterns.push(`*.${rest}`);
  }
  if (host !== "*") patterns.push("*");
  return patterns;
}

/** Reports if `pattern` covers every name that `host` matches (`host` may be the same name). */
export function covers(pattern: string, host: string): boolean {
  if (pattern === host || pattern === "*") return true;
  if (!pattern.startsWith("*")) return false;
  const suffix = pattern.slice(1);
  return host.endsWith(suffix) && host.length > suffix.length;
}

/** The narrower of two hosts when one covers the other; `undefined` when they have no name in common. */
export function intersectHosts(a: string, b: string): string | undefined {
  if (covers(a, b)) return b;
  if (covers(b, a)) return a;
  return undefined;
}
