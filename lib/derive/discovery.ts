/**
 * Which namespaces are looked at: those that the mesh configuration selects by their labels. What
 * lies in others stays out of the tables, and is kept aside until that changes.
 *
 * @module
 */
import { canonicalJson } from "../base/mod.ts";
import type { ConfigObject } from "../model/mod.ts";
import type { LabelSelector, MeshConfig } from "#mesh/mesh/v1alpha1/config_pb.ts";
import type { TableKind, Tables } from "./tables.ts";
import { TABLE_KINDS, tableOf } from "./tables.ts";

/** The label that every namespace has of itself: its name. */
const NAME_LABEL = "kubernetes.io/metadata.name";

/** Where an object goes, or that it goes. */
export interface Move {
  readonly kind: TableKind;
  /** `namespace/name`. */
  readonly key: string;
  /** `undefined`: out of its table. */
  readonly object: ConfigObject | undefined;
}

/** Knows what is out of sight. */
export interface Discovery {
  /** Takes a mesh configuration; gives the objects that come into sight or go out of it. */
  adopt(config: MeshConfig): Move[];
  /** A namespace has other labels, or (`undefined`) is gone; gives the same. */
  label(namespace: string, labels: Readonly<Record<string, string>> | undefined): Move[];
  /** Whether an object is in sight; one that is not is kept aside, and forgotten when it is gone. */
  admits(kind: TableKind, key: string, object: ConfigObject | undefined): boolean;
  /** What is kept aside. */
  aside(): Move[];
  /** Whether a namespace is in sight. */
  sees(namespace: string): boolean;
}

/** What it works with. */
export interface DiscoveryOptions {
  readonly tables: Tables;
  readonly config: MeshConfig;
  /** Whether selectors bound what is read of configuration at all. */
  readonly scoping: boolean;
  /** An object of a table as it was before defaults of the mesh went into it. */
  readonly original: (kind: TableKind, key: string) => ConfigObject | undefined;
}

/** Starts with nothing kept aside. */
export function createDiscovery(
  { tables, config, scoping, original }: DiscoveryOptions,
): Discovery {
  const aside = new Map<TableKind, Map<string, ConfigObject>>();
  /** Labels that are on their way into the table of namespaces, or there. */
  const labels = new Map<string, Readonly<Record<string, string>>>();
  let selectors: readonly LabelSelector[] = scoping ? config.discoverySelectors : [];
  let root = config.rootNamespace;
  const labelsOf = (namespace: string): Readonly<Record<string, string>> => ({
    ...labels.get(namespace) ?? tables.namespaces.peek(`/${namespace}`)?.meta.labels,
    [NAME_LABEL]: namespace,
  });
  // What holds for the whole mesh lies in the root namespace: a selector that leaves it out by
  // mistake must not take policies away.
  const sees = (namespace: string): boolean =>
    selectors.length === 0 || namespace === "" || namespace === root ||
    selectors.some((selector) => selects(selector, labelsOf(namespace)));
  const keep = (kind: TableKind, key: string, object: ConfigObject): void => {
    const kept = aside.get(kind) ?? new Map<string, ConfigObject>();
    aside.set(kind, kept.set(key, object));
  };
  /** Moves what is in the wrong place, of the namespaces that `concerns` chooses. */
  const sort = (concerns: (namespace: string) => boolean): Move[] => {
    const moves: Move[] = [];
    const verdicts = new Map<string, boolean>();
    const seen = (namespace: string): boolean => {
      const known = verdicts.get(namespace) ?? sees(namespace);
      verdicts.set(namespace, known);
      return known;
    };
    for (const kind of TABLE_KINDS) {
      for (const [key, object] of aside.get(kind) ?? []) {
        if (!concerns(object.meta.namespace) || !seen(object.meta.namespace)) continue;
        moves.push({ kind, key, object });
      }
      const table = tableOf(tables, kind);
      for (const key of table.keys()) {
        const namespace = key.slice(0, key.indexOf("/"));
        if (!concerns(namespace) || seen(namespace)) continue;
        const object = original(kind, key) ?? table.peek(key);
        if (object === undefined) continue;
        keep(kind, key, object);
        moves.push({ kind, key, object: undefined });
      }
    }
    for (const { kind, key, object } of moves) if (object) aside.get(kind)?.delete(key);
    return moves;
  };
  return {
    adopt: (next) => {
      const chosen = scoping ? next.discoverySelectors : [];
      const same = root === next.rootNamespace &&
        canonicalJson(chosen.map(plain)) === canonicalJson(selectors.map(plain));
      [selectors, root] = [chosen, next.rootNamespace];
      return same ? [] : sort(() => true);
    },
    label: (namespace, next) => {
      const before = sees(namespace);
      labels.set(namespace, next ?? {});
      return before === sees(namespace) ? [] : sort((one) => one === namespace);
    },
    admits: (kind, key, object) => {
      aside.get(kind)?.delete(key);
      if (object === undefined || sees(object.meta.namespace)) return true;
      keep(kind, key, object);
      return false;
    },
    aside: () =>
      [...aside].flatMap(([kind, kept]) =>
        [...kept].map(([key, object]) => ({ kind, key, object }))
      ),
    sees,
  };
}

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

/** Whether a selector chooses what has these labels; all of its demands must be met. */
function selects(selector: LabelSelector, labels: Readonly<Record<string, string>>): boolean {
  for (const [key, value] of Object.entries(selector.matchLabels)) {
    if (labels[key] !== value) return false;
  }
  return selector.matchExpressions.every(({ key, operator, values }) => {
    const value = labels[key];
    switch (operator) {
      case "In":
        return value !== undefined && values.includes(value);
      case "NotIn":
        return value === undefined || !values.includes(value);
      case "Exists":
        return value !== undefined;
      default:
        return value === undefined;
    }
  });
}
