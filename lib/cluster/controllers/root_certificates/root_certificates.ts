/**
 * Controller: a ConfigMap with the root certificates of the mesh in every selected namespace.
 *
 * @module
 */
import {
  applyObject,
  isNotFound,
  type ListItem,
  type OrchObject,
  types,
} from "../../../kit/orch/mod.ts";
import { MANAGER, observe, reconcile, type Term, Wake } from "../reconcile.ts";
import { applyAll } from "../writes.ts";

/** Name of the ConfigMap. */
export const ROOT_CONFIG_MAP = "mesh-ca-root-cert";
/** Key with the roots in PEM. */
export const ROOT_KEY = "root-cert.pem";
/** Label of the ConfigMaps. */
export const ROOT_LABEL = "mesh.io/config";

/** Namespaces of the orchestrator itself, which never get the ConfigMap. */
const SYSTEM: ReadonlySet<string> = new Set(["kube-system", "kube-public", "kube-node-lease"]);

/** A ConfigMap as the controller compares it. */
export interface RootConfigMap extends ListItem {
  readonly data?: Readonly<Record<string, string>>;
}

/** Roots that change while the daemon runs. */
export interface Roots {
  /** PEM; `undefined` while there are none. */
  current(): string | undefined;
  /** Calls back after each change; returns a function that ends this. */
  onChange(changed: () => void): () => void;
}

/** Namespaces that the mesh configuration selects. */
export interface NamespaceSelection {
  selects(namespace: string, labels: Readonly<Record<string, string>>): boolean;
  /** Calls back after each change; returns a function that ends this. */
  onChange(changed: () => void): () => void;
}

/** The observed state. */
export interface ObservedRoots {
  readonly namespaces: readonly ListItem[];
  readonly configMaps: readonly RootConfigMap[];
  readonly roots: string | undefined;
  readonly selection: Pick<NamespaceSelection, "selects">;
}

/** The ConfigMaps that have to be written: those that are missing, changed or outdated. */
export function desiredConfigMaps(
  { namespaces, configMaps, roots, selection }: ObservedRoots,
): OrchObject[] {
  if (roots === undefined) return [];
  const present = new Map(configMaps.map((one) => [one.metadata.namespace, one]));
  return namespaces.flatMap(({ metadata: { name, labels = {}, deletionTimestamp } }) => {
    if (SYSTEM.has(name) || deletionTimestamp !== undefined) return [];
    if (!selection.selects(name, labels)) return [];
    const current = present.get(name);
    const isRight = current?.data?.[ROOT_KEY] === roots &&
      current.metadata.labels?.[ROOT_LABEL] === "true";
    return isRight ? [] : [configMap(name, roots)];
  });
}

function configMap(namespace: string, roots: string): OrchObject & RootConfigMap {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: ROOT_CONFIG_MAP, namespace, labels: { [ROOT_LABEL]: "true" } },
    data: { [ROOT_KEY]: roots },
  };
}

/** Writes the ConfigMaps until the end of the term. */
export async function runRootCertificates(
  term: Term,
  { roots, selection }: { readonly roots: Roots; readonly selection: NamespaceSelection },
): Promise<void> {
  const wake = new Wake();
  const namespaces = observe(term, types.NAMESPACE, { wake });
  const configMaps = observe<RootConfigMap>(term, types.CONFIG_MAP, {
    wake,
    selection: { fieldSelector: `metadata.name=${ROOT_CONFIG_MAP}` },
  });
  const ends = [roots.onChange(wake.poke), selection.onChange(wake.poke)];
  const write = (object: OrchObject) => () =>
    applyObject(term.client, types.CONFIG_MAP, object, { manager: MANAGER, force: true })
      // The namespace was deleted in the meantime.
      .catch((error) => {
        if (!isNotFound(error)) throw error;
      });
  try {
    await reconcile(term, wake, {
      name: "root-certificates",
      follows: [namespaces, configMaps],
      pass: (current) =>
        applyAll(
          current,
          desiredConfigMaps({
            namespaces: namespaces.values(),
            configMaps: configMaps.values(),
            roots: roots.current(),
            selection,
          }).map(write),
        ),
    });
  } finally {
    for (const end of ends) end();
  }
}
