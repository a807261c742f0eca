/**
 * The difference between this program's translation of files and the resources that a daemon
 * serves: what an upgrade of the daemon would change.
 *
 * @module
 */
import type { ProxyNode } from "../../mesh/model/mod.ts";
import type { OfflineMesh } from "./mesh.ts";

/** The resources that a daemon serves to a proxy, by type URL: name and version, which is a hash of the bytes. */
export type ServedVersions = Readonly<
  Record<string, readonly { readonly name: string; readonly version: string }[]>
>;

/** A proxy as the daemon knows it. */
export interface ServedProxy {
  readonly node: ProxyNode;
  readonly resources: ServedVersions;
}

/** A resource that differs. */
export interface ServedDifference {
  readonly typeUrl: string;
  readonly name: string;
  /** `added`: this program would serve it in addition. */
  readonly change: "added" | "changed" | "removed";
}

/** Proxies with the same differences. */
export interface DifferenceGroup {
  /** `NAME.NAMESPACE`, sorted. */
  readonly proxies: readonly string[];
  readonly differences: readonly ServedDifference[];
}

/** Compares the proxies of a daemon with the translation of files; proxies without difference have no group. */
export function servedDifferences(
  mesh: OfflineMesh,
  proxies: readonly ServedProxy[],
): DifferenceGroup[] {
  const groups = new Map<string, { proxies: string[]; differences: ServedDifference[] }>();
  for (const { node, resources } of proxies) {
    const view = mesh.bind(node);
    const differences = Object.entries(resources).flatMap(([typeUrl, served]) => {
      const own = new Map(
        [...view(typeUrl)?.entries() ?? []].map((one) => [one.name, one.version]),
      );
      return typeDifferences(typeUrl, served, own);
    });
    if (differences.length === 0) continue;
    const key = JSON.stringify(differences);
    const group = groups.get(key) ?? { proxies: [], differences };
    group.proxies.push(`${node.name}.${node.namespace}`);
    groups.set(key, group);
  }
  return [...groups.values()].map((one) => ({ ...one, proxies: one.proxies.sort() }));
}

function typeDifferences(
  typeUrl: string,
  served: readonly { readonly name: string; readonly version: string }[],
  own: ReadonlyMap<string, string>,
): ServedDifference[] {
  const names = new Set(served.map(({ name }) => name));
  return [
    ...served.flatMap(({ name, version }): ServedDifference[] => {
      const mine = own.get(name);
      if (mine === version) return [];
      return [{ typeUrl, name, change: mine === undefined ? "removed" : "changed" }];
    }),
    ...[...own.keys()].filter((name) => !names.has(name))
      .map((name): ServedDifference => ({ typeUrl, name, change: "added" })),
  ].sort((a, b) => a.name < b.name ? -1 : 1);
}
