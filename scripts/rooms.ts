/**
 * `deno task rooms`: checks that need more than one file. It finds cycles between
 * files, between rooms and between folders of a room, folders against the order of
 * their table on the architecture page, rooms without a table row or without an entry,
 * packages without a room or without a reason, and a table of rooms on the architecture
 * page that is out of date (`--write` renews it).
 *
 * Static imports are found line by line, which `deno fmt` makes safe. Every import
 * counts, imports of types included.
 *
 * @module
 */
import { EXEMPT, EXEMPT_CYCLES, EXEMPT_ROOMS } from "./lint/exempt.ts";
import { isTest, locationOf, targetOf } from "./lint/imports.ts";
import { folderOf, type Room, roomNamed, roomOfPackage, ROOMS } from "./lint/rooms.ts";
import { fromFileUrl, join, walkFiles } from "./paths.ts";
import { withTable } from "./rooms_table.ts";

const ROOT = fromFileUrl(new URL("..", import.meta.url));

/** Packages of `deno.json` that no room imports, and what they are for. */
const ROOMLESS: ReadonlyMap<string, string> = new Map([
  ["@bufbuild/buf", "scripts: compiles the protos"],
  ["@bufbuild/protoc-gen-es", "scripts: writes the codec"],
  ["@grafana/grafana-foundation-sdk", "tests: types of dashboards"],
  ["@grpc/grpc-js-xds", "scripts: carries Envoy's protos"],
  ["fast-check", "tests: properties over random input"],
]);

/** Files by path, as text; paths relative to the root. */
export type Tree = ReadonlyMap<string, string>;

/** Everything wrong with the rooms, a sentence each; empty when all is in order. */
export function findings(tree: Tree, imports: Readonly<Record<string, string>>): string[] {
  return [
    ...unknownRooms(tree),
    ...packages(imports),
    ...cycles(fileGraph(tree)).filter((c) => !EXEMPT_CYCLES.includes(c.join(" ")))
      .map((c) => `files import each other: ${c.join(", ")}`),
    ...cycles(roomGraph(fileGraph(tree))).map((c) => `rooms import each other: ${c.join(", ")}`),
  ];
}

/** File → files it imports; tests are left out. */
function fileGraph(tree: Tree): Map<string, Set<string>> {
  const graph = new Map<string, Set<string>>();
  for (const [path, text] of tree) {
    if (isTest(path)) continue;
    const targets = new Set<string>();
    for (const found of importsOf(text)) {
      const target = targetOf(path, found.specifier);
      if (target.kind === "file" && tree.has(target.path)) targets.add(target.path);
    }
    graph.set(path, targets);
  }
  return graph;
}

/** One import or re-export. */
export interface Import {
  readonly specifier: string;
  readonly typesOnly: boolean;
}

/** The imports and re-exports of a formatted file. */
export function importsOf(text: string): Import[] {
  const statement = /^(?:import|export)\s([^"'`;]*?\sfrom\s)?"([^"\n]+)"/gm;
  const dynamic = /\bimport\("([^"\n]+)"\)/g;
  return [
    ...[...text.matchAll(statement)].map(([, clause = "", specifier]) => ({
      specifier: specifier!,
      typesOnly: isOfTypes(clause),
    })),
    ...[...text.matchAll(dynamic)].map((match) => ({ specifier: match[1]!, typesOnly: false })),
  ];
}

/**
 * Reports if all that stands between `import` and the specifier is types: `type { A } from`, `{
 * type A, type B } from`.
 */
function isOfTypes(clause: string): boolean {
  if (/^type\s/.test(clause)) return true;
  const names = /^\{([^}]*)\}\sfrom\s$/.exec(clause)?.[1]?.split(",").map((name) => name.trim());
  return names?.every((name) => name === "" || name.startsWith("type ")) ?? false;
}

/** Room → rooms its files import. */
function roomGraph(files: ReadonlyMap<string, ReadonlySet<string>>): Map<string, Set<string>> {
  const graph = new Map<string, Set<string>>();
  for (const [path, targets] of files) {
    const from = locationOf(path);
    if (from.kind !== "room") continue;
    const rooms = graph.get(from.name) ?? new Set();
    graph.set(from.name, rooms);
    for (const target of targets) {
      const to = locationOf(target);
      if (to.kind === "room" && to.name !== from.name) rooms.add(to.name);
    }
  }
  return graph;
}

/** Folder or file of a room → what it imports of the room; tests are left out. */
function partGraph(files: ReadonlyMap<string, ReadonlySet<string>>): Map<string, Set<string>> {
  const graph = new Map<string, Set<string>>();
  for (const [path, targets] of files) {
    const from = partOf(path);
    if (from === undefined) continue;
    const parts = graph.get(from) ?? new Set();
    graph.set(from, parts);
    for (const target of targets) {
      const to = partOf(target);
      if (to !== undefined && to !== from && roomOf(to) === roomOf(from)) parts.add(to);
    }
  }
  return graph;
}

/** The part of a room that a file belongs to, `lib/WING/ROOM/PART`. */
function partOf(path: string): string | undefined {
  return locationOf(path).kind === "room" ? path.split("/", 4).join("/") : undefined;
}

function roomOf(part: string): string {
  return part.split("/", 3).join("/");
}

/**
 * Folders of a room that import each other, and imports against the order of a table whose
 * introduction ends with "from the bottom up:".
 */
export function folderFindings(tree: Tree, page: string): string[] {
  const graph = partGraph(fileGraph(tree));
  const found = cycles(graph).filter(([first]) => !EXEMPT_ROOMS.includes(roomOf(first!)))
    .map((parts) => `folders of a room import each other: ${parts.join(", ")}`);
  for (const [, table] of page.matchAll(/from the bottom up:\n\n((?:\|.*\n)+)/g)) {
    const rows = [...table!.matchAll(/^\| `([^`]+)`/gm)].map(([, folder]) => folder!);
    for (const [at, folder] of rows.entries()) {
      for (const target of graph.get(folder) ?? []) {
        if (rows.indexOf(target) <= at) continue;
        found.push(`${folder} imports ${target}, which docs/architecture.md lists after it`);
      }
    }
  }
  return found;
}

/** The groups of nodes that reach each other (Tarjan's algorithm), each sorted; a node that names itself is one. */
export function cycles(graph: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const found: string[][] = [];
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const open: string[] = [];
  const visit = (node: string): void => {
    order.set(node, order.size);
    low.set(node, order.get(node)!);
    open.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!order.has(next)) visit(next);
      if (open.includes(next)) low.set(node, Math.min(low.get(node)!, low.get(next)!));
    }
    if (low.get(node) !== order.get(node)) return;
    const group = open.splice(open.indexOf(node));
    if (group.length > 1 || graph.get(node)?.has(node)) found.push(group.sort());
  };
  for (const node of graph.keys()) if (!order.has(node)) visit(node);
  return found;
}

/** Folders of the rooms below `lib` that hold code, each with its wing: name of the room → wings. */
function roomsIn(tree: Tree): Map<string, Set<string>> {
  const rooms = new Map<string, Set<string>>();
  for (const path of tree.keys()) {
    const location = locationOf(path);
    if (location.kind !== "room") continue;
    const wings = rooms.get(location.name) ?? new Set();
    rooms.set(location.name, wings.add(location.wing));
  }
  return rooms;
}

function unknownRooms(tree: Tree): string[] {
  const found: string[] = [];
  for (const [name, wings] of roomsIn(tree)) {
    const room = roomNamed(name);
    for (const wing of wings) {
      const folder = `lib/${wing}/${name}`;
      if (room === undefined) {
        found.push(`${folder} is not in the table of rooms, scripts/lint/rooms.ts`);
      } else if (room.wing !== wing) {
        found.push(`${folder} belongs into ${folderOf(room)}`);
      }
      if (!tree.has(`${folder}/mod.ts`)) found.push(`${folder} has no mod.ts to enter by`);
    }
  }
  return found;
}

function packages(imports: Readonly<Record<string, string>>): string[] {
  const found: string[] = [];
  for (const [name, specifier] of Object.entries(imports)) {
    if (name.startsWith("#")) continue;
    if (roomOfPackage(name) === undefined && !ROOMLESS.has(name)) {
      found.push(`package ${name} belongs to no room; say in scripts/lint/rooms.ts which one`);
    }
    if (!/^npm:(@[^/]+\/)?[^@/]+@\d+\.\d+\.\d+(-[\w.]+)?$/.test(specifier)) {
      found.push(`package ${name} is not pinned to one version: ${specifier}`);
    }
  }
  return found;
}

async function readTree(): Promise<Tree> {
  const tree = new Map<string, string>();
  for (const top of ["lib", "cmd"]) {
    for (const file of await walkFiles(join(ROOT, top), ".ts")) {
      const path = file.slice(ROOT.length);
      if (!path.startsWith("lib/kit/proto/gen/")) tree.set(path, await Deno.readTextFile(file));
    }
  }
  return tree;
}

/** Compares the architecture page with the rooms there are, or brings it up to date. */
async function architecture(tree: Tree, write: boolean): Promise<string[]> {
  const path = join(ROOT, "docs/architecture.md");
  const there = roomsIn(tree);
  const rooms: Room[] = ROOMS.filter((room) => there.has(room.name));
  const page = await Deno.readTextFile(path);
  const wanted = withTable(page, rooms);
  if (wanted === undefined) return ["docs/architecture.md has lost its table of rooms"];
  if (wanted === page) return [];
  if (!write) return ["docs/architecture.md is out of date: run `deno task rooms --write`"];
  await Deno.writeTextFile(path, wanted);
  return [];
}

/** Packages that `docs/dependencies.md` gives no reason for. */
export function unexplained(page: string, imports: Readonly<Record<string, string>>): string[] {
  return Object.keys(imports)
    .filter((name) => !name.startsWith("#") && !page.includes(`| \`${name}\``))
    .map((name) => `package ${name} has no reason in docs/dependencies.md`);
}

if (import.meta.main) {
  const config = JSON.parse(await Deno.readTextFile(join(ROOT, "deno.json")));
  const tree = await readTree();
  const found = findings(tree, config.imports);
  found.push(
    ...folderFindings(tree, await Deno.readTextFile(join(ROOT, "docs/architecture.md"))),
  );
  found.push(...await architecture(tree, Deno.args.includes("--write")));
  const reasons = await Deno.readTextFile(join(ROOT, "docs/dependencies.md"));
  found.push(...unexplained(reasons, config.imports));
  const exempt = Object.entries(EXEMPT).map(([rule, files]) => `${rule} ${files.length}`);
  console.log(`rooms: exempt files: ${exempt.join(", ")}; exempt cycles: ${EXEMPT_CYCLES.length}`);
  for (const line of found) console.error(`rooms: ${line}`);
  if (found.length > 0) Deno.exit(1);
}
