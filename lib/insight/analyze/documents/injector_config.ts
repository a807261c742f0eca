/**
 * The configuration of the injector, in a ConfigMap of the mesh's namespace.
 *
 * @module
 */
import type { DocumentSet } from "../document_set.ts";
import { isPlainMap, type PlainDocument, type PlainMap, textAt } from "../plain.ts";

/** Name of the ConfigMap of the default revision; others have the revision behind it. */
export const INJECTOR_CONFIG = "mesh-sidecar-injector";

/** The configuration of an injector, with its revision; the default one is empty. */
export interface Injector {
  readonly revision: string;
  readonly document: PlainDocument;
}

/** The injectors of all revisions. */
export function injectors(set: DocumentSet): readonly Injector[] {
  return set.of("ConfigMap", "").flatMap((document) => {
    const { name, namespace } = document;
    if (namespace !== set.settings.meshNamespace || !isInjectorConfig(name)) return [];
    return [{ revision: name.slice(INJECTOR_CONFIG.length + 1), document }];
  });
}

/** Reports if a ConfigMap of the mesh's namespace is that of an injector. */
export function isInjectorConfig(name: string): boolean {
  return name === INJECTOR_CONFIG || name.startsWith(`${INJECTOR_CONFIG}-`);
}

/** The values of the injector of a revision; `undefined` when the set has none. */
export function injectorValues(set: DocumentSet, revision: string): PlainMap | undefined {
  const wanted = revision === "default" ? "" : revision;
  const found = injectors(set).find((one) => one.revision === wanted)?.document;
  if (found === undefined) return undefined;
  try {
    const values: unknown = JSON.parse(textAt(found.value, "data", "values"));
    return isPlainMap(values) ? values : undefined;
  } catch {
    return undefined;
  }
}
