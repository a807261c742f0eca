/**
 * Namespace selection: `discoverySelectors` of the mesh configuration select namespaces by their
 * labels. Objects of other namespaces are not written to the tables; they are stored here until
 * their namespace is selected.
 *
 * @module
 */
import { canonicalJson } from "../../kit/base/mod.ts";
import { tableOf, type Tables } from "../derive/mod.ts";
import { type ConfigObject, hasLabels, meetsRequirement, objectKeys } from "../model/mod.ts";
import { TABLE_KINDS, type TableKind } from "../schema/mod.ts";
import type { LabelSelector, MeshConfig } from "#mesh/mesh/v1alpha1/config_pb.ts";
import type { ObjectChange } from "./changes.ts";

/** Label with the name of the namespace; every namespace has it implicitly. */
const NAME_LABEL = "kubernetes.io/metadata.name";

/** Decides which objects are written to the tables. */
export interface Selection {
  /** Uses a mesh configuration from now on; returns the rows to add and to delete. */
  adopt(config: MeshConfig): ObjectChange[];
  /** Sets the labels of a namespace (`undefined`: it was deleted); returns the rows to add and to delete. */
  label(
    namespace: string,
    labels: Readonly<Record<string, string>> | undefined,
  ): ObjectChange[];
  /** True when the object is written to its table. Otherwise it is stored here. */
  admits(change: ObjectChange): boolean;
  /** Objects that are stored here. */
  excluded(): ObjectChange[];
  /** True for a namespace that is selected. */
  selects(namespace: string): boolean;
}

export interface SelectionOptions {
  readonly tables: Tables;
  /** False: selectors are ignored (`ENABLE_ENHANCED_RESOURCE_SCOPING`). */
  readonly scoping: boolean;
  /** An object of a table as it was before defaults of the mesh were filled in. */
  readonly original: (kind: TableKind, key: string) => ConfigObject | undefined;
}

/** Starts without selectors: all namespaces are selected. */
export function createSelection(options: SelectionOptions): Selection {
  return new LabelSelection(options);
}

class LabelSelection implements Selection {
  readonly #options: SelectionOptions;
  readonly #excluded = new Map<TableKind, Map<string, ConfigObject>>();
  /** Labels of namespaces that are in the table, or on their way into it. */
  readonly #labels = new Map<string, Readonly<Record<string, string>>>();
  #selectors: readonly LabelSelector[] = [];
  #root = "";

  constructor(options: SelectionOptions) {
    this.#options = options;
  }

  adopt(config: MeshConfig): ObjectChange[] {
    const next = this.#options.scoping ? config.discoverySelectors : [];
    const same = this.#root === config.rootNamespace &&
      canonicalJson(next.map(plain)) === canonicalJson(this.#selectors.map(plain));
    [this.#selectors, this.#root] = [next, config.rootNamespace];
    return same ? [] : this.#reselect(() => true);
  }

  label(
    namespace: string,
    labels: Readonly<Record<string, string>> | undefined,
  ): ObjectChange[] {
    const before = this.selects(namespace);
    this.#labels.set(namespace, labels ?? {});
    return before === this.selects(namespace) ? [] : this.#reselect((one) => one === namespace);
  }

  admits({ kind, key, object }: ObjectChange): boolean {
    this.#excluded.get(kind)?.delete(key);
    if (object === undefined || this.selects(object.meta.namespace)) return true;
    this.#exclude(kind, key, object);
    return false;
  }

  excluded(): ObjectChange[] {
    return [...this.#excluded].flatMap(([kind, objects]) =>
      [...objects].map(([key, object]) => ({ kind, key, object }))
    );
  }

  // The root namespace has what applies to the whole mesh: a selector that does not match it by
  // mistake must not remove policies.
  selects(namespace: string): boolean {
    return namespace === "" || namespace === this.#root ||
      selectorsMatch(this.#selectors, namespace, () => this.#labelsOf(namespace));
  }

  #labelsOf(namespace: string): Readonly<Record<string, string>> {
    const { namespaces } = this.#options.tables;
    return this.#labels.get(namespace) ??
      namespaces.peek(objectKeys.encode({ namespace: "", name: namespace }))?.meta.labels ?? {};
  }

  #exclude(kind: TableKind, key: string, object: ConfigObject): void {
    const objects = this.#excluded.get(kind) ?? new Map<string, ConfigObject>();
    this.#excluded.set(kind, objects.set(key, object));
  }

  /** Rows to add and to delete, in the namespaces for which `affected` is true. */
  #reselect(affected: (namespace: string) => boolean): ObjectChange[] {
    const { tables, original } = this.#options;
    const changes: ObjectChange[] = [];
    const known = new Map<string, boolean>();
    const selected = (namespace: string): boolean => {
      const result = known.get(namespace) ?? this.selects(namespace);
      known.set(namespace, result);
      return result;
    };
    for (const kind of TABLE_KINDS) {
      for (const [key, object] of this.#excluded.get(kind) ?? []) {
        const { namespace } = object.meta;
        if (affected(namespace) && selected(namespace)) changes.push({ kind, key, object });
      }
      const table = tableOf(tables, kind);
      for (const key of table.keys()) {
        if (table.isFed(key)) continue;
        const { namespace } = objectKeys.decode(key);
        if (!affected(namespace) || selected(namespace)) continue;
        const object = original(kind, key) ?? table.peek(key);
        if (object === undefined) continue;
        this.#exclude(kind, key, object);
        changes.push({ kind, key, object: undefined });
      }
    }
    for (const { kind, key, object } of changes) if (object) this.#excluded.get(kind)?.delete(key);
    return changes;
  }
}

/** True if the selectors, of which one is enough, select a namespace; no selectors select all. */
export function selectorsMatch(
  selectors: readonly LabelSelector[],
  namespace: string,
  labels: () => Readonly<Record<string, string>>,
): boolean {
  if (selectors.length === 0) return true;
  const all = { ...labels(), [NAME_LABEL]: namespace };
  return selectors.some((selector) => matches(selector, all));
}

/** A selector without the fields of the generated code. */
function plain({ matchLabels, matchExpressions }: LabelSelector): unknown {
  return {
    matchLabels,
    matchExpressions: matchExpressions.map(({ key, operator, values }) => ({
      key,
      operator,
      values,
    })),
  };
}

/** True when labels meet all requirements of a selector. */
function matches(
  { matchLabels, matchExpressions }: LabelSelector,
  labels: Readonly<Record<string, string>>,
): boolean {
  return hasLabels(labels, matchLabels) &&
    matchExpressions.every((one) => meetsRequirement(labels, one));
}
