/**
 * The engine: tables of rows, derived cells with recorded reads, indexes,
 * collections with logs, layers. Knows nothing of meshes.
 *
 * A transaction writes rows and marks what may be out of date (push); a read
 * verifies the marked cells below it and computes those of which a dependency
 * really changed (pull); a publication does so for everything that is kept. The
 * reads of a computation are recorded once, and answer three questions: what to
 * invalidate, which rows a value comes from, and what an edit reaches.
 *
 * Keys are typed. A table is declared with a codec, and takes and gives keys of
 * its type; the text of a key is for dumps and debug pages:
 *
 * ```ts
 * interface HostKey { readonly namespace: string; readonly port: number; readonly host: string }
 * const hostKeys: KeyCodec<HostKey> = keyOf<HostKey>({ namespace: text, port: integer, host: text });
 * const hosts = graph.derive("vhost", hostKeys, (read, { namespace, port, host }) => …);
 * read.get(hosts, { namespace: "shop", port: 80, host: "a.example" }); // text: shop|80|a.example
 * ```
 *
 * A key in a key takes as many parts as it has (`keyOf({ host: hostKeys, labels: text })`).
 * `list`, `optional`, `oneOf`, `flag`, `pathOf` and `converted` make the other fields.
 *
 * Decisions are recorded by the same context: `read.decide?.({ group, … })`, about a
 * part with `read.within(name)`, from another cell with `read.follow(table, key)` in
 * place of `get`. Code without a context takes a `DecisionLog` (`lib/kit/base`) as a field
 * of its input: `{ …, decisions: read.within(name) }`. `Graph.explain` runs the
 * computation again and lists them.
 *
 * @module
 */
export type * from "./api/mod.ts";
export { DependencyFault } from "./cells/mod.ts";
export { createGraph } from "./graph.ts";
export * from "../../kit/key/mod.ts";
