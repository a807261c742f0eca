/**
 * Layers of secrets: the files of proxies, and the credentials that configuration names.
 *
 * @module
 */
import { type LabelsKey, labelsKeys } from "../../derive/mod.ts";
import { type Collection, text } from "../../graph/mod.ts";
import { objectKeys, type ProxyClass } from "../../model/mod.ts";
import type { ClassBinding, Context } from "../context/mod.ts";
import { collection, type SecretTable } from "../resources/mod.ts";
import {
  type CertificateFiles,
  certificateFiles,
  certificateFilesOf,
  type CredentialTables,
  type SecretKey,
} from "./keys.ts";

/** The tables that layers of secrets are made of. */
export interface SecretLayerTables {
  readonly context: Context;
  readonly certificates: SecretTable<CertificateFiles>;
  readonly credentials: CredentialTables;
}

/** The secrets of the certificates of a proxy; they depend only on the files that its class names. */
export function secretLayer(tables: SecretLayerTables, cls: ProxyClass): Collection {
  const files = certificateFilesOf(cls);
  return collection(tables, `secret/${certificateFiles.encode(files)}`, () => ({
    members: { list: [files] },
    resources: tables.certificates,
  }));
}

/** The credentials that Gateways name, in the proxies' namespace. */
export function gatewayCredentials(
  tables: SecretLayerTables,
  cls: ProxyClass,
  scope: LabelsKey,
): Collection {
  const { owner, keyOf } = ownerOf(cls);
  return collection(tables, `secret/gateway/${owner}/${labelsKeys.encode(scope)}`, () => ({
    members: { listFrom: [tables.credentials.ofGateways, scope], codec: text },
    resources: tables.credentials.secrets,
    keyOf,
  }));
}

/** The credentials that rules name, in a gateway's namespace. */
export function ruleCredentials(tables: SecretLayerTables, cls: ProxyClass): Collection {
  const { owner, keyOf } = ownerOf(cls);
  return collection(tables, `secret/rules/${owner}`, () => ({
    members: { listFrom: [tables.credentials.ofRules, ""] },
    resources: tables.credentials.secrets,
    keyOf,
  }));
}

/** Those credentials among the names of Gateways and rules that objects of the Gateway API refer to. */
export function referredCredentials(
  tables: SecretLayerTables,
  { namespace }: ProxyClass,
  scope: LabelsKey,
): Collection[] {
  const at = `secret/referred/${JSON.stringify(namespace)}`;
  const keyOf = (name: string) => ({ namespace, name });
  const resources = tables.credentials.referred;
  return [
    collection(tables, `${at}/${labelsKeys.encode(scope)}`, () => ({
      members: { listFrom: [tables.credentials.ofGateways, scope], codec: text },
      resources,
      keyOf,
    })),
    collection(tables, `${at}/rules`, () => ({
      members: { listFrom: [tables.credentials.ofRules, ""] },
      resources,
      keyOf,
    })),
  ];
}

/** The authorities that BackendTLSPolicies refer to, for sidecars. */
export function policyAuthorities(tables: SecretLayerTables): Collection {
  return collection(tables, "secret/policies", () => ({
    members: { listFrom: [tables.credentials.ofRules, ""] },
    resources: tables.credentials.policyAuthorities,
    keyOf: (name: string) => ({ namespace: "", name }),
  }));
}

/** The credentials that rules which select a workload name, in its namespace. */
export function localCredentials(
  tables: SecretLayerTables,
  { cls, locality }: ClassBinding,
): Collection {
  const { owner, keyOf } = ownerOf(cls);
  return collection(tables, `secret/place/${owner}/${locality}`, () => ({
    members: { listFrom: [tables.credentials.ofLocality, locality] },
    resources: tables.credentials.secrets,
    keyOf,
  }));
}

/** The pull secrets of plugins, for proxies whose agent pulls their images. */
export function pullCredentials(
  tables: SecretLayerTables,
  { options }: ProxyClass,
  changes: string,
): Collection {
  const { CREDENTIAL_CLUSTER: cluster = "" } = options;
  return collection(tables, `secret/pull/${JSON.stringify(cluster)}/${changes}`, () => ({
    members: { listFrom: [tables.credentials.ofPlugins, changes] },
    resources: tables.credentials.pullSecrets,
    keyOf: (key) => ({ cluster, ...objectKeys.decode(key) }),
  }));
}

/** The cluster and the namespace whose credentials a class reads: as a text, and in keys of secrets. */
function ownerOf(
  { namespace, options }: ProxyClass,
): { readonly owner: string; readonly keyOf: (name: string) => SecretKey } {
  const { CREDENTIAL_CLUSTER: cluster = "" } = options;
  return {
    owner: JSON.stringify([cluster, namespace]),
    keyOf: (name) => ({ cluster, namespace, name }),
  };
}
