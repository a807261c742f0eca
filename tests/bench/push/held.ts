/**
 * The resources that a client has.
 *
 * @module
 */
import type { Response } from "./wire.ts";

const outbound = new WeakMap<Response["resources"], string[]>();

/** Names of clusters that have endpoints. */
export function outboundOf(resources: Response["resources"]): string[] {
  let names = outbound.get(resources);
  if (!names) {
    names = resources.map(([name]) => name).filter((name) => name.startsWith("outbound|"));
    outbound.set(resources, names);
  }
  return names;
}

/** Versions by name after all responses. */
export function versionsOf(
  parts: readonly Pick<Response, "resources" | "removed">[],
): Map<string, string> {
  const versions = new Map<string, string>();
  for (const { resources, removed } of parts) {
    for (const [name, version] of resources) versions.set(name, version);
    for (const name of removed) versions.delete(name);
  }
  return versions;
}

/** The names in random order, because Envoy stores resources in a map. */
export function shuffled<T>(items: Iterable<T>): T[] {
  const list = [...items];
  for (let i = list.length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1));
    [list[i], list[j]] = [list[j]!, list[i]!];
  }
  return list;
}
