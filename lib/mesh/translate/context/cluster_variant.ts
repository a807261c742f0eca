/**
 * Cluster variants: the properties of a proxy class that change its outbound clusters.
 *
 * @module
 */
import { AGENT, CLIENT, type SecretNames, secretNames, SHARED } from "../../envoy/mod.ts";
import { converted, type KeyCodec, text } from "../../graph/mod.ts";
import type { ProxyClass, Role } from "../../model/mod.ts";
import { type Family, familyOf } from "./family.ts";

/** Classes of one variant share outbound clusters. */
export interface ClusterVariant {
  readonly role: Role;
  readonly family: Family;
  /** Secrets of the client's side of mutual TLS; `undefined`: none. */
  readonly secrets?: SecretNames | undefined;
  /** True: the proxies lack the feature `weighed-utilization`. */
  readonly lacksUtilization?: boolean | undefined;
}

export function clusterVariantOf(cls: ProxyClass): ClusterVariant {
  return {
    role: cls.role,
    family: familyOf(cls),
    secrets: secretNames(cls).client,
    lacksUtilization: cls.missing?.includes("weighed-utilization") === true ? true : undefined,
  };
}

const SECRETS: Readonly<Record<string, SecretNames>> = {
  mtls: SHARED,
  "mtls-client": CLIENT,
  "mtls-agent": AGENT,
};

const LACKS_UTILIZATION = "flat";

const WORDS = Object.entries(SECRETS);

/** The codec of variants in keys, for example `v4.router.mtls`. */
export const clusterVariants: KeyCodec<ClusterVariant> = converted(text, {
  // Every cluster of a class has a key with its variant.
  encode: ({ role, family, secrets, lacksUtilization }: ClusterVariant) => {
    const word = WORDS.find(([, names]) => names === secrets)?.[0];
    let text: string = role === "router" ? `${family}.${role}` : family;
    if (word !== undefined) text += `.${word}`;
    return lacksUtilization === true ? `${text}.${LACKS_UTILIZATION}` : text;
  },
  decode: (variant) => {
    const [family = "", ...flags] = variant.split(".");
    const word = flags.find((flag) => Object.hasOwn(SECRETS, flag));
    return {
      role: flags.includes("router") ? "router" : "sidecar",
      family: family as Family,
      secrets: word === undefined ? undefined : SECRETS[word],
      lacksUtilization: flags.includes(LACKS_UTILIZATION) ? true : undefined,
    };
  },
});
