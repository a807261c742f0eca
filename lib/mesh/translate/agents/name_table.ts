/**
 * The name table, from which a proxy's agent answers DNS queries. There is one encoded cell for each
 * host, and the table is assembled from those, so that a change of one host encodes one host.
 *
 * An entry is encoded as a table with only that entry. Concatenated tables are one table with all
 * entries: this is how protocol buffers merge messages.
 *
 * @module
 */
import { type HostKey, type SidecarKey, sidecarKeys } from "../../derive/mod.ts";
import { type Collection, type KeyCodec, keyOf, type Resource, text } from "../../graph/mod.ts";
import type { ProxyClass } from "../../model/mod.ts";
import type { Context } from "./features.ts";
import {
  collection,
  overlayOf,
  resourceOf,
  type ResourceTable,
  resourceTable,
} from "../resources/mod.ts";
import { type DnsVariant, dnsVariantOf, dnsVariants, entriesOf } from "./name_entries.ts";

/** Name of the only resource of the type. */
export const NAME_TABLE = "name-table";

export interface NameTables {
  /** The layers of a class; `sidecar` as in `ClassBinding`. */
  layers(cls: ProxyClass, sidecar: string): readonly Collection[];
}

interface EntryKey extends HostKey {
  readonly variant: DnsVariant;
}

const entryKeys: KeyCodec<EntryKey> = keyOf<EntryKey>({
  variant: dnsVariants,
  namespace: text,
  host: text,
});

interface NamespaceKey {
  readonly variant: DnsVariant;
  readonly namespace: string;
}

const namespaceKeys: KeyCodec<NamespaceKey> = keyOf<NamespaceKey>({
  variant: dnsVariants,
  namespace: text,
});

interface ImportKey extends SidecarKey {
  readonly variant: DnsVariant;
}

const importKeys: KeyCodec<ImportKey> = keyOf<ImportKey>({
  variant: dnsVariants,
  namespace: text,
  sidecar: text,
});

/** Creates the tables. */
export function deriveNameTables(context: Context): NameTables {
  const { graph } = context.mesh;
  const base = resourceTable(
    graph,
    "nds.entry",
    entryKeys,
    (read, { variant, ...seen }) => entriesOf(read, context, variant, seen),
  );
  const overlay = overlayOf(context, "nds.overlay", base);
  const { publicEntries, ownEntries, imported } = nameCollections(context, base, overlay);
  const shared = resourceTable(
    graph,
    "nds.public",
    dnsVariants,
    (read, variant) => [assemble(read.content(publicEntries(variant)))],
  );
  const own = resourceTable(graph, "nds.own", namespaceKeys, (read, key) => {
    const mine = read.content(ownEntries(key));
    if (mine.size === 0) return [];
    const all = new Map(read.content(publicEntries(key.variant)));
    for (const [name, resource] of mine) {
      if (resource.tombstone === true) all.delete(name);
      else all.set(name, resource);
    }
    return [assemble(all)];
  });
  const egress = resourceTable(
    graph,
    "nds.egress",
    importKeys,
    (read, key) => [assemble(read.content(imported(key)))],
  );
  const layer = <K>(table: ResourceTable<K>, key: K): Collection =>
    collection<K>({ context }, `${table.name}/${table.keyCodec.encode(key)}`, () => ({
      members: { list: [key] },
      resources: table,
    }));
  return {
    layers: (cls, sidecar) => {
      const variant = dnsVariantOf(cls);
      const { namespace } = cls;
      return sidecar === ""
        ? [layer(own, { variant, namespace }), layer(shared, variant)]
        : [layer(egress, { variant, namespace, sidecar })];
    },
  };
}

/** The collections of entries: of everybody, of a namespace's overlay, and of what a Sidecar imports. */
function nameCollections(
  context: Context,
  base: ResourceTable<EntryKey>,
  overlay: ResourceTable<EntryKey>,
) {
  const { graph, scopes, indexes } = context.mesh;
  const publicEntries = (variant: DnsVariant): Collection =>
    graph.collection(`names/${dnsVariants.encode(variant)}/public`, () => ({
      members: { index: indexes.hostsSeenBy, buckets: [""] },
      resources: base,
      keyOf: (host) => ({ variant, namespace: "", host }),
    }));
  const ownEntries = ({ variant, namespace }: NamespaceKey): Collection =>
    graph.collection(`names/${dnsVariants.encode(variant)}/overlay/${namespace}`, () => ({
      members: { listFrom: [scopes.overlayHosts, namespace] },
      resources: overlay,
      keyOf: (host) => ({ variant, namespace, host }),
    }));
  const imported = ({ variant, ...scope }: ImportKey): Collection => {
    return graph.collection(
      `names/${dnsVariants.encode(variant)}/egress/${sidecarKeys.encode(scope)}`,
      () => ({
        members: { listFrom: [scopes.egressHosts, { ...scope, listener: undefined }] },
        resources: base,
        keyOf: (host) => ({ variant, namespace: scope.namespace, host }),
      }),
    );
  };
  return { publicEntries, ownEntries, imported };
}

/** One table of all entries, sorted by name, so that its bytes depend only on its content. */
function assemble(entries: ReadonlyMap<string, Resource>): Resource {
  const sorted = [...entries.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const bytes = new Uint8Array(sorted.reduce((sum, r) => sum + r.bytes.length, 0));
  let at = 0;
  for (const resource of sorted) {
    bytes.set(resource.bytes, at);
    at += resource.bytes.length;
  }
  return resourceOf(NAME_TABLE, bytes);
}
