/**
 * Controller: a ServiceExport for each Service, except those that are local to their cluster.
 *
 * @module
 */
import { objectKey } from "../../../mesh/model/mod.ts";
import {
  createObject,
  isConflict,
  isNotFound,
  type ListItem,
  type OrchObject,
  type ResourceType,
  types,
} from "../../../kit/orch/mod.ts";
import { observe, reconcile, type Term, Wake } from "../reconcile.ts";
import { applyAll } from "../writes.ts";

/** A Service, as far as the controller reads it. */
export interface ExportedService extends ListItem {
  readonly spec?: { readonly type?: string };
}

/** The observed state. */
export interface ObservedExports {
  readonly services: readonly ExportedService[];
  readonly exports: readonly ListItem[];
  readonly namespaces: readonly ListItem[];
  readonly selection: Pick<ExportSelection, "selects">;
}

/** The Services that the mesh configuration exports. */
export interface ExportSelection {
  /** True for a Service that may be exported; `labels` are those of its namespace. */
  selects(
    service: { readonly namespace: string; readonly name: string },
    labels: Readonly<Record<string, string>>,
  ): boolean;
  /** Calls back after each change; returns a function that ends this. */
  onChange(changed: () => void): () => void;
}

/**
 * The Services without a ServiceExport that must have one. Names of other hosts (`ExternalName`) have
 * no endpoints that could be shared.
 */
export function missingExports(
  { services, exports, namespaces, selection }: ObservedExports,
): ExportedService[] {
  const present = new Set(exports.map(({ metadata }) => idOf(metadata)));
  const labelsOf = new Map(namespaces.map(({ metadata: { name, labels = {} } }) => [name, labels]));
  return services.filter(({ metadata, spec }) => {
    if (metadata.deletionTimestamp !== undefined || spec?.type === "ExternalName") return false;
    const { namespace = "", name } = metadata;
    // The labels of a namespace that is not known yet may exclude it.
    const labels = labelsOf.get(namespace);
    return labels !== undefined && !present.has(idOf(metadata)) &&
      selection.selects({ namespace, name }, labels);
  });
}

function idOf({ namespace = "", name }: ListItem["metadata"]): string {
  return objectKey({ namespace, name });
}

/** The ServiceExport of a Service, which owns it: it is deleted with the Service. */
export function exportOf(type: ResourceType, { metadata }: ExportedService): OrchObject {
  const { namespace = "", name, uid = "" } = metadata;
  return {
    apiVersion: `${type.group}/${type.version}`,
    kind: type.kind,
    metadata: {
      namespace,
      name,
      ownerReferences: [{ apiVersion: "v1", kind: "Service", name, uid }],
    },
  };
}

/** Creates ServiceExports until the end of the term. `type` is that of ServiceExports. */
export async function runExports(
  term: Term,
  { type, selection: selected, namespace }: {
    readonly type: ResourceType;
    readonly selection: ExportSelection;
    /** The only namespace whose Services are exported; empty: all. */
    readonly namespace: string;
  },
): Promise<void> {
  const wake = new Wake();
  const selection = namespace === "" ? {} : { selection: { namespace } };
  const services = observe<ExportedService>(term, types.SERVICE, {
    wake,
    ...selection,
    convert: ({ metadata, spec }) => ({
      metadata,
      spec: spec?.type === undefined ? {} : { type: spec.type },
    }),
  });
  const exports = observe(term, type, { wake, ...selection });
  const namespaces = observe(term, types.NAMESPACE, {
    wake,
    ...(namespace === "" ? {} : { selection: { fieldSelector: `metadata.name=${namespace}` } }),
  });
  const end = selected.onChange(wake.poke);
  const create = (service: ExportedService) => () =>
    createObject(term.client, type, exportOf(type, service)).catch((error) => {
      // Somebody else created it, or the namespace is gone.
      if (!isConflict(error) && !isNotFound(error)) throw error;
    });
  try {
    await reconcile(term, wake, {
      name: "exports",
      follows: [services, exports, namespaces],
      pass: (current) => {
        // Without the definition there is nothing to write to; it is looked for again and again.
        if (exports.state().absent) return Promise.resolve(0);
        const missing = missingExports({
          services: services.values(),
          exports: exports.values(),
          namespaces: namespaces.values(),
          selection: selected,
        });
        return applyAll(current, missing.map(create));
      },
      everyMs: 10_000,
    });
  } finally {
    end();
  }
}
