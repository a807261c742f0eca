/**
 * Address families of proxies.
 *
 * @module
 */

/** Address families of a proxy. */
export type Family = "v4" | "v6" | "dual";

/** Reports if a proxy can listen at an address: it may have no socket of the other family. */
export function isOfFamily(family: Family, address: string): boolean {
  return family === "dual" || (family === "v6") === address.includes(":");
}

/** The families of a class; a class without addresses counts as IPv4. */
export function familyOf(cls: { readonly ipv4: boolean; readonly ipv6: boolean }): Family {
  if (cls.ipv6) return cls.ipv4 ? "dual" : "v6";
  return "v4";
}
