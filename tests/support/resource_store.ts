/**
 * Resources in the real engine, for tests of serving: layers by class, bindings by namespace.
 *
 * @module
 */
import { hash } from "../../lib/kit/base/mod.ts";
import {
  type Collection,
  createGraph,
  type Graph,
  type GraphOptions,
  type Input,
  type Resource,
  text,
  type View,
} from "../../lib/mesh/graph/mod.ts";
import type { BindingSource, ProxyBinding, ProxyNode } from "../../lib/mesh/model/mod.ts";

/** Content of a resource: bytes, or text as its UTF-8. */
export type Content = string | Uint8Array;

/** Contents by name; `undefined` takes a resource away. */
export type Edit = Readonly<Record<string, Content | undefined>>;

/** Resources in layers: `public` for all, and one layer for each class of its own. */
export interface Store {
  readonly graph: Graph;
  readonly source: BindingSource;
  /** Changes resources of a type in a layer, without publishing. */
  set(typeUrl: string, edit: Edit, layer?: string): void;
  /** Publishes what was changed. */
  publish(): void;
  /** Puts all bindings of a namespace into another class, within a publication. */
  move(namespace: string, classKey: string): void;
  readonly bindings: number;
}

/** A store that serves the given types. The class of a node is its namespace. */
export function store(types: readonly string[], options?: GraphOptions): Store {
  const graph = createGraph(options);
  const tables = new Map(types.map((type) => [type, table(graph, type)]));
  const classes = new Map<string, string>();
  const bindings = new Map<object, { namespace: string; onRebind: () => void }>();
  const listeners = new Set<(changed: ReadonlySet<Collection>, revision: number) => void>();
  let revision = 0;
  const publish = (before: () => void = () => {}) => {
    const changed = graph.publish();
    revision = graph.revision;
    before();
    for (const listener of listeners) listener(changed, revision);
  };
  const classOf = (namespace: string) => classes.get(namespace) ?? namespace;
  const bind = (node: ProxyNode, onRebind: () => void): ProxyBinding => {
    const key = {};
    bindings.set(key, { namespace: node.namespace, onRebind });
    return {
      get classKey() {
        return classOf(node.namespace);
      },
      view: (typeUrl) => tables.get(typeUrl)?.view(classOf(node.namespace)),
      close: () => void bindings.delete(key),
    };
  };
  publish();
  return {
    graph,
    source: {
      bind,
      onPublish(listener) {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
      get revision() {
        return revision;
      },
    },
    set(typeUrl, edit, layer = "public") {
      const rows = tables.get(typeUrl)!.rows;
      graph.transaction((tx) => {
        for (const [name, content] of Object.entries(edit)) {
          if (content === undefined) tx.delete(rows, `${layer}/${name}`);
          else tx.set(rows, `${layer}/${name}`, content);
        }
      });
    },
    publish: () => publish(),
    move(namespace, classKey) {
      classes.set(namespace, classKey);
      publish(() => {
        for (const one of bindings.values()) if (one.namespace === namespace) one.onRebind();
      });
    },
    get bindings() {
      return bindings.size;
    },
  };
}

function table(
  graph: Graph,
  type: string,
): { rows: Input<Content>; view(classKey: string): View } {
  const rows = graph.input<Content>(`rows ${type}`);
  const byLayer = graph.index(
    rows,
    `layer ${type}`,
    { bucket: text, member: text },
    (_, key) => [[key.split("/")[0]!, key]],
  );
  const made = graph.derive<readonly Resource[], string>(`resource ${type}`, text, (read, key) => {
    const content = read.get(rows, key);
    if (content === undefined) return [];
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    return [{ name: key.slice(key.indexOf("/") + 1), version: hash(bytes), bytes }];
  });
  const layer = (name: string) =>
    graph.collection(`${type} ${name}`, () => ({
      members: { index: byLayer, buckets: [name] },
      resources: made,
    }));
  return { rows, view: (classKey) => graph.view([layer(classKey), layer("public")]) };
}
