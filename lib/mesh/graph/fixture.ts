/**
 * Shared parts of the engine's tests. Used only by tests.
 *
 * @module
 */
import {
  type Collection,
  createGraph,
  type Fault,
  type Graph,
  type LogEntry,
  type Resource,
} from "./mod.ts";
import { text } from "../../kit/key/mod.ts";

/** A resource whose version tells its content. */
export function resource(name: string, content: string | number = name): Resource {
  const version = String(content);
  return { name, version, bytes: new TextEncoder().encode(`${name}=${version}`) };
}

/** Returns an entry that hides a name in the layers below. */
export function tombstone(name: string): Resource {
  return { name, version: "", bytes: new Uint8Array(), tombstone: true };
}

/** `name@version` of resources, sorted; a tombstone is `name@`. */
export function shown(resources: Iterable<Resource>): string[] {
  return [...resources].map((r) => `${r.name}@${r.version}`).sort();
}

/** `revision name before` of log lines. */
export function logged(entries: readonly LogEntry[] | undefined): string[] | undefined {
  return entries?.map((e) => `${e.revision} ${e.name} ${e.before?.version ?? "-"}`);
}

/**
 * A collection whose content is written down: each row names a member and the
 * resources it makes, as `name` or `name@version`, or `-name` for a tombstone.
 */
export function written(
  graph: Graph,
  name: string,
): {
  readonly collection: Collection;
  write(rows: Readonly<Record<string, string | undefined>>): void;
} {
  const rows = graph.input<string>(`${name}.rows`);
  const all = graph.index(
    rows,
    `${name}.all`,
    { bucket: text, member: text },
    (_, key) => [["all", key]],
  );
  const resources = graph.derive<readonly Resource[], string>(
    `${name}.resources`,
    text,
    (read, key) => {
      const words = (read.get(rows, key) ?? "").split(" ").filter((word) => word !== "");
      return words.map((word) => {
        if (word.startsWith("-")) return tombstone(word.slice(1));
        const [called, version] = word.split("@");
        if (version === "throw") throw new Error(`${key} does not work`);
        return resource(called!, version);
      });
    },
  );
  return {
    collection: graph.collection(name, () => ({
      members: { index: all, buckets: ["all"] },
      resources,
    })),
    write(changes): void {
      graph.transaction((tx) => {
        for (const [key, row] of Object.entries(changes)) {
          if (row === undefined) tx.delete(rows, key);
          else tx.set(rows, key, row);
        }
      });
    },
  };
}

/** A graph that keeps its fault notices as `table/key` or `-table/key`. */
export function noticed(): { readonly graph: Graph; readonly notices: string[] } {
  const notices: string[] = [];
  const graph = createGraph({
    onFault: (table, key, fault) => {
      notices.push(`${fault === undefined ? "-" : ""}${table}/${key}`);
    },
  });
  return { graph, notices };
}

/** Returns a fault without its error. */
export function summary(
  fault: Fault | undefined,
): (Pick<Fault, "since" | "lastGood" | "inputs"> & { readonly cell: string }) | undefined {
  return fault && {
    cell: `${fault.table}/${fault.key}`,
    since: fault.since,
    lastGood: fault.lastGood,
    inputs: fault.inputs,
  };
}
