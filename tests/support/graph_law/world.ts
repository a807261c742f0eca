/**
 * A model for the law's tests: every feature of the engine, tables that depend on each other,
 * functions that throw for some rows, and cells that can read themselves. Used by tests only.
 *
 * @module
 */
import {
  type Collection,
  type Derived,
  type Graph,
  type Index,
  type Input,
  type Read,
  type Resource,
  text,
  type View,
} from "../../../lib/mesh/graph/mod.ts";

/** A row of the first table. */
export interface Thing {
  /** 7 makes the functions throw, 8 makes the placement throw. */
  readonly n: number;
  readonly groups: readonly string[];
  /** Chooses what is read. */
  readonly mode: number;
  /** Another thing, to make chains and circles. */
  readonly link: string;
}

/** Everything defined on one graph. */
export interface World {
  readonly graph: Graph;
  readonly things: Input<Thing>;
  readonly lists: Input<readonly string[]>;
  readonly byGroup: Index;
  readonly tables: readonly Derived<unknown>[];
  readonly collections: () => readonly Collection[];
  readonly views: () => readonly View[];
}

/** Keys of things; also the members of collections. */
export const THINGS: readonly string[] = ["t0", "t1", "t2", "t3", "t4", "t5"];
/** Buckets. */
export const GROUPS: readonly string[] = ["g0", "g1", "g2", "g3"];
/** Keys of lists: two name buckets, two name members. */
export const LISTS: readonly string[] = ["b0", "b1", "m0", "m1"];
/** Names that resources may have. */
export const NAMES: readonly string[] = ["r0", "r1", "r2", "r3", "r4", "s"];

/** A resource whose version tells its content. */
export function resource(name: string, content: string | number): Resource {
  const version = String(content);
  return { name, version, bytes: new TextEncoder().encode(`${name}=${version}`) };
}

function tombstone(name: string): Resource {
  return { name, version: "", bytes: new Uint8Array(), tombstone: true };
}

/** Defines the world on an empty graph. */
export function createWorld(graph: Graph): World {
  const things = graph.input<Thing>("things");
  const lists = graph.input<readonly string[]>("lists");
  const byGroup = graph.index(
    things,
    "byGroup",
    { bucket: text, member: text },
    function* (thing, key) {
      if (thing.n === 8) throw new Error(`${key} has no place`);
      // Two rows may put the same member in: members are counted.
      for (const group of thing.groups) yield [group, thing.mode === 3 ? thing.link : key] as const;
    },
  );
  const values = defineValues(graph, things, byGroup);
  const sources = defineLists(graph, lists);
  const { plain, shade, tables } = defineResources(graph, things, values.pick);
  const part = (name: string, spec: Parameters<Graph["collection"]>[1]) =>
    graph.collection(name, spec);
  const fixed = () =>
    part("fixed", () => ({ members: { index: byGroup, buckets: ["g0", "g1"] }, resources: plain }));
  const moving = () =>
    part("moving", () => ({
      members: { index: byGroup, bucketsFrom: [sources.buckets, "b0"] },
      resources: plain,
    }));
  const listed = () =>
    part("listed", () => ({ members: { listFrom: [sources.members, "m0"] }, resources: shade }));
  const constant = () =>
    part("constant", () => ({ members: { list: ["t1", "t3", "t1"] }, resources: plain }));
  const relayed = defineFeeds(graph, things, lists);
  const fed = defineFed(graph, fixed, moving, sources.members);
  const collections = () => [fixed(), moving(), listed(), constant(), fed.collection()];
  return {
    graph,
    things,
    lists,
    byGroup,
    tables: [...values.tables, ...sources.tables, ...tables, ...fed.tables, ...relayed],
    collections,
    views: () =>
      [
        [fixed()],
        [listed(), fixed()],
        [listed(), moving(), constant()],
        [fed.collection(), listed(), fixed()],
        [moving(), fixed()],
        [fixed(), moving(), listed()],
      ].map((layers) => graph.view(layers)),
  };
}

function defineValues(graph: Graph, things: Input<Thing>, byGroup: Index) {
  const own = graph.derive("own", text, (read, key) => {
    const thing = read.get(things, key);
    if (thing?.n === 7) throw new Error(`${key} is seven`);
    return thing === undefined ? -1 : thing.n % 4;
  });
  const group = (read: Read, key: string) => read.get(things, key)?.groups[0] ?? "g0";
  const pick = graph.derive("pick", text, (read, key) => {
    switch (read.get(things, key)?.mode) {
      case 0:
        return read.get(own, key);
      case 1:
        return read.get(own, read.get(things, key)!.link);
      case 2:
        return read.members(byGroup, group(read, key)).reduce((n, m) => n + read.get(own, m), 0);
      default:
        return read.any(byGroup, group(read, key)) ? 1 : 0;
    }
  });
  // Follows links for as long as modes are even: a circle of such things reads itself.
  const ring: Derived<number> = graph.derive("ring", text, (read, key) => {
    const thing = read.get(things, key);
    if (thing === undefined || thing.mode % 2 === 1) return read.get(pick, key);
    return 1 + read.get(ring, thing.link);
  });
  const lenient = graph.derive("lenient", text, (read, key) => {
    try {
      return read.get(ring, key);
    } catch {
      return "none";
    }
  });
  return { pick, tables: [own, pick, ring, lenient] };
}

function defineLists(graph: Graph, lists: Input<readonly string[]>) {
  const named = (read: Read, key: string, from: string) =>
    (read.get(lists, key) ?? []).filter((name) => name.startsWith(from));
  const buckets = graph.derive("buckets", text, (read, key) => named(read, key, "g"));
  const members = graph.derive("members", text, (read, key) => named(read, key, "t"));
  return { buckets, members, tables: [buckets, members] };
}

function defineResources(graph: Graph, things: Input<Thing>, pick: Derived<number>) {
  const plain = graph.derive<readonly Resource[], string>("plain", text, (read, key) => {
    const thing = read.get(things, key);
    if (thing === undefined) return [];
    const picked = resource(`r${thing.n % 5}`, `${key}:${read.get(pick, key)}`);
    return thing.mode === 1 ? [picked, resource("s", thing.n % 2)] : [picked];
  });
  const shade = graph.derive<readonly Resource[], string>("shade", text, (read, key) => {
    const thing = read.get(things, key);
    if (thing === undefined) return [resource("s", 0)];
    const name = `r${thing.n % 5}`;
    return thing.mode === 0 ? [tombstone(name)] : [resource(name, thing.mode), tombstone("r0")];
  });
  return { plain, shade, tables: [plain, shade] };
}

/** A collection whose members and resources come from the content of others. */
function defineFed(
  graph: Graph,
  fixed: () => Collection,
  moving: () => Collection,
  members: Derived<readonly string[]>,
) {
  const digest = graph.derive("digest", text, (read, key) => {
    const content = [...read.content(key === "fixed" ? fixed() : moving()).values()];
    return content.map((r) => `${r.name}@${r.version}`).sort();
  });
  const whole = graph.derive("whole", text, (read) => read.content(fixed()));
  const claimants = graph.derive("claimants", text, (read, key) => [
    ...read.get(members, key),
    ...read.get(digest, "moving").map((line) => line.slice(0, 2)),
  ]);
  const assembled = graph.derive<readonly Resource[], string>("assembled", text, (read, key) => {
    if (key.startsWith("t")) return [resource("s", read.get(whole, "").size)];
    const lines = read.get(digest, "fixed").filter((line) => line.startsWith(key));
    return [resource(key, lines.join())];
  });
  const collection = () =>
    graph.collection("fed", () => ({
      members: { listFrom: [claimants, "m1"] },
      resources: assembled,
      keyOf: (member) => member,
    }));
  return { collection, tables: [digest, whole, claimants, assembled] };
}

/**
 * Feeds: things give echoes, of which several may have one key; echoes give lists, for whose keys
 * there may be lists from outside.
 */
function defineFeeds(
  graph: Graph,
  things: Input<Thing>,
  lists: Input<readonly string[]>,
): Derived<unknown>[] {
  const codecs = { bucket: text, member: text };
  const echoes = graph.input<number>("echoes");
  const allThings = graph.index(things, "allThings", codecs, (_, key) => [["all", key]]);
  const echo = graph.derive("echo", text, (read, key): ReadonlyMap<string, number> => {
    const thing = read.get(things, key);
    if (thing === undefined) return new Map();
    if (thing.n === 7) throw new Error(`${key} is seven`);
    const other = read.get(things, thing.link)?.n ?? 0;
    return new Map(thing.groups.map((group) => [`e${group}`, thing.n + other]));
  });
  graph.feed(echoes, { name: "echoes of things", groups: allThings, rows: echo });
  const parity = graph.index(echoes, "parity", codecs, (n, key) => [
    ["all", n % 2 === 0 ? "m0" : "b1"],
    [n % 2 === 0 ? "m0" : "b1", key],
  ]);
  const relisted = graph.derive("relisted", text, (read, key) => {
    const from = key === "m0" ? THINGS : GROUPS;
    const numbers = read.members(parity, key).map((name) => read.get(echoes, name)!);
    return new Map([[key, numbers.map((n) => from[n % from.length]!)]]);
  });
  graph.feed(lists, { name: "lists of echoes", groups: parity, rows: relisted });
  const heard = graph.derive("heard", text, (read, key) => {
    const groups = GROUPS.map((group) => read.get(echoes, `e${group}`) ?? -1);
    return [groups, read.members(parity, key), read.get(lists, key) ?? []];
  });
  return [echo, relisted, heard];
}
