/**
 * Layers of secrets: the files of proxies, and the credentials that configuration names.
 *
 * @module
 */
import { type LabelsKey, labelsKeys } from "../../derive/mod.ts";
import { type Collection, text } from "../../graph/mod.ts";
import type { ProxyClass } from "../../model/mod.ts";
import { type ClassBinding } from "../context/mod.ts";
import { collection } from "../resources/mod.ts";
import { certificateFiles, certificateFilesOf } from "../tables/mod.ts";
import type { LayerTables } from "./tables.ts";

/** The secrets of a class's own certificates; they depend only on the files that it names. */
export function secretLayer(tables: LayerTables, cls: ProxyClass): Collection {
  const files = certificateFilesOf(cls);
  return collection(tables, `secret/${certificateFiles.encode(files)}`, () => ({
    members: { list: [files] },
    resources: tables.own.secrets,
  }));
}

/** The credentials that Gateways name, in the proxies' namespace. */
export function gatewayCredentials(
  tables: LayerTables,
  namespace: string,
  scope: LabelsKey,
): Collection {
  return collection(tables, `secret/gateway/${namespace}/${labelsKeys.encode(scope)}`, () => ({
    members: { listFrom: [tables.credentials.ofGateways, scope], codec: text },
    resources: tables.credentials.secrets,
    keyOf: (name) => ({ namespace, name }),
  }));
}

/** The credentials that rules name, in a gateway's namespace. */
export function ruleCredentials(tables: LayerTables, namespace: string): Collection {
  return collection(tables, `secret/rules/${namespace}`, () => ({
    members: { listFrom: [tables.credentials.ofRules, ""] },
    resources: tables.credentials.secrets,
    keyOf: (name) => ({ namespace, name }),
  }));
}

/** The credentials that rules which select a workload name, in its namespace. */
export function localCredentials(
  tables: LayerTables,
  { cls: { namespace }, locality }: ClassBinding,
): Collection {
  return collection(tables, `secret/place/${namespace}/${locality}`, () => ({
    members: { listFrom: [tables.credentials.ofLocality, locality] },
    resources: tables.credentials.secrets,
    keyOf: (name) => ({ namespace, name }),
  }));
}

/** The pull secrets of plugins, for proxies whose agent pulls their images. */
export function pullCredentials(tables: LayerTables, changes: string): Collection {
  return collection(tables, `secret/pull/${changes}`, () => ({
    members: { listFrom: [tables.credentials.ofPlugins, changes] },
    resources: tables.credentials.pullSecrets,
  }));
}
