/**
 * What clusters depend on in a proxy class.
 *
 * @module
 */
import { CLIENT, type SecretNames, secretNames, SHARED } from "../../envoy/mod.ts";
import type { ProxyClass, Role } from "../../model/mod.ts";
import { type Family, familyOf } from "../context/mod.ts";

/** What clusters depend on in a class: classes of one kind share them. */
export interface ClusterKind {
  readonly role: Role;
  readonly family: Family;
  /** Secrets to open mutual TLS with; `undefined`: none. */
  readonly names?: SecretNames;
}

const KIND_NAMES: Readonly<Record<string, SecretNames>> = { mtls: SHARED, "mtls-client": CLIENT };

/** The kind of a class as a key part, for example `v4.router.mtls`. */
export function clusterKind(cls: ProxyClass): string {
  const { client } = secretNames(cls);
  const named = Object.entries(KIND_NAMES).find(([, names]) => names === client)?.[0];
  const role = cls.role === "router" ? "router" : undefined;
  return [familyOf(cls), role, named].filter((part) => part !== undefined).join(".");
}

/** Reads {@link clusterKind} back. */
export function parseKind(kind: string): ClusterKind {
  const [family = "", ...flags] = kind.split(".");
  const named = flags.find((flag) => Object.hasOwn(KIND_NAMES, flag));
  return {
    family: family as Family,
    role: flags.includes("router") ? "router" : "sidecar",
    names: named === undefined ? undefined : KIND_NAMES[named],
  };
}
