/**
 * Layers of secrets: what proxies declare as files, and what is named among the credentials of
 * their namespace.
 *
 * @module
 */
import type { Collection } from "../../graph/mod.ts";
import type { ProxyClass } from "../../model/mod.ts";
import type { Placement } from "../context/mod.ts";
import { secretsKey } from "../inbound/mod.ts";
import { collection } from "../resources/mod.ts";
import type { Parts } from "./parts.ts";

/** Secrets depend on nothing but the files that a proxy declares. */
export function secretLayer(parts: Parts, cls: ProxyClass): Collection {
  const key = secretsKey(cls);
  return collection(parts, `secret/${key}`, () => ({
    members: { list: [key] },
    resources: parts.own.secrets,
  }));
}

/** What the Gateways of a scope name among the credentials of the proxies' namespace. */
export function credentialLayer(parts: Parts, namespace: string, scope: string): Collection {
  return collection(parts, `secret/gateway/${namespace}/${scope}`, () => ({
    members: { listFrom: [parts.credentials.named, scope] },
    resources: parts.credentials.secrets,
    keyOf: (secret) => `${namespace}|${secret}`,
  }));
}

/** What rules name, among the credentials of a gateway's namespace. */
export function ruleCredentials(parts: Parts, namespace: string): Collection {
  return collection(parts, `secret/rules/${namespace}`, () => ({
    members: { listFrom: [parts.credentials.ofRules, ""] },
    resources: parts.credentials.secrets,
    keyOf: (secret) => `${namespace}|${secret}`,
  }));
}

/** What rules name that select a workload, among the credentials of its namespace. */
export function placeCredentials(parts: Parts, { cls, place }: Placement): Collection {
  return collection(parts, `secret/place/${cls.namespace}|${place}`, () => ({
    members: { listFrom: [parts.credentials.ofPlace, place] },
    resources: parts.credentials.secrets,
    keyOf: (secret) => `${cls.namespace}|${secret}`,
  }));
}
