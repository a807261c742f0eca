/**
 * `deno task bench graph [--sizes=100,1000]`: growth of the engine's cost.
 *
 * A model mesh of S services (two clusters and assignments for every second one, a virtual host
 * each) in 20 namespaces, seen by 200 classes through a base layer and a namespace overlay for each
 * resource type. The cost of building grows with S, that of edits should not.
 *
 * @module
 */
import {
  type Collection,
  createGraph,
  type Derived,
  type Graph,
  type Input,
  type Read,
  type Resource,
  text,
  type View,
} from "../../lib/mesh/graph/mod.ts";

const NAMESPACES = 20;
const CLASSES = 200;
const EDITS = 400;
/** Bytes of one encoded resource. */
const ENCODED = 600;

interface Service {
  readonly namespace: string;
  readonly host: string;
  readonly isPublic: boolean;
  readonly subsets: readonly string[];
}

interface Route {
  readonly host: string;
  readonly weight: number;
}

interface ToyMesh {
  readonly graph: Graph;
  readonly services: Input<Service>;
  readonly endpoints: Input<readonly string[]>;
  readonly routes: Input<Route>;
  readonly views: readonly View[];
}

/** Replaces an encoder: bytes of the usual size, and a version derived from the content. */
function encode(name: string, content: string): Resource {
  return { name, version: `${content.length}:${content}`, bytes: new Uint8Array(ENCODED) };
}

const sameVersions = (a: readonly Resource[], b: readonly Resource[]): boolean =>
  a.length === b.length && a.every((r, i) => r.name === b[i]!.name && r.version === b[i]!.version);

function define(): Omit<ToyMesh, "views"> & {
  readonly layer: (type: string, at: string) => Collection;
} {
  const graph = createGraph({ now: () => performance.now() });
  const services = graph.input<Service>("services");
  const endpoints = graph.input<readonly string[]>("endpoints");
  const routes = graph.input<Route>("routes");
  const byScope = graph.index(
    services,
    "services.byScope",
    { bucket: text, member: text },
    (service, key) => [
      [service.isPublic ? "public" : service.namespace, key],
    ],
  );
  const byHost = graph.index(
    routes,
    "routes.byHost",
    { bucket: text, member: text },
    (route, key) => [[route.host, key]],
  );
  const service = (read: Read, key: string) => read.get(services, key);
  const names = graph.derive("names", text, (read, key) => {
    const found = service(read, key);
    return found === undefined
      ? []
      : ["", ...found.subsets].map((s) => `outbound|${s}|${found.host}`);
  });
  const resources = (
    type: string,
    make: (read: Read, key: string) => readonly Resource[],
  ): Derived<readonly Resource[]> => graph.derive(type, text, make, { equal: sameVersions });
  const types: Record<string, Derived<readonly Resource[]>> = {
    clusters: resources(
      "clusters",
      (read, key) =>
        read.get(names, key).map((name) => encode(name, service(read, key)!.namespace)),
    ),
    assignments: resources("assignments", (read, key) => {
      const addresses = read.get(endpoints, key) ?? [];
      return read.get(names, key).map((name) => encode(name, addresses.join()));
    }),
    hosts: resources("hosts", (read, key) => {
      const found = service(read, key);
      if (found === undefined) return [];
      const rules = read.members(byHost, found.host).map((route) =>
        read.get(routes, route)!.weight
      );
      return [encode(found.host, rules.join())];
    }),
  };
  const layer = (type: string, scope: string): Collection =>
    graph.collection(`${type}@${scope}`, () => ({
      members: { index: byScope, buckets: [scope] },
      resources: types[type]!,
    }));
  return { graph, services, endpoints, routes, layer };
}

function build(size: number): ToyMesh {
  const { graph, services, endpoints, routes, layer } = define();
  graph.transaction((tx) => {
    for (let i = 0; i < size; i++) {
      tx.set(services, `s${i}`, service(i));
      tx.set(endpoints, `s${i}`, [1, 2, 3, 4, 5].map((n) => `10.${i >> 8}.${i & 255}.${n}`));
      if (i % 2 === 0) tx.set(routes, `r${i}`, { host: service(i).host, weight: 1 });
    }
  });
  const views: View[] = [];
  for (let c = 0; c < CLASSES; c++) {
    for (const type of ["clusters", "assignments", "hosts"]) {
      const layers = [layer(type, `ns${c % NAMESPACES}`), layer(type, "public")];
      for (const one of layers) one.retain();
      views.push(graph.view(layers));
    }
  }
  graph.publish();
  return { graph, services, endpoints, routes, views };
}

function service(i: number): Service {
  return {
    namespace: `ns${i % NAMESPACES}`,
    host: `s${i}.example.org`,
    isPublic: i % 10 !== 0,
    subsets: i % 4 === 0 ? ["v1", "v2"] : [],
  };
}

/** Microseconds of an edit: the transaction, the publication, and the difference of each class. */
function edit(mesh: ToyMesh, change: (round: number) => void): string {
  const { graph, views } = mesh;
  let publishing = 0;
  let telling = 0;
  for (let round = 0; round < EDITS; round++) {
    const from = graph.published;
    const start = performance.now();
    change(round);
    graph.publish();
    const middle = performance.now();
    for (const view of views) view.since(from);
    publishing += middle - start;
    telling += performance.now() - middle;
  }
  const micros = (total: number) => (total * 1000 / EDITS).toFixed(1).padStart(7);
  return `${micros(publishing)} + ${micros(telling)}`;
}

function measure(size: number): void {
  const heap = () => Deno.memoryUsage().heapUsed / 1e6;
  const before = heap();
  const start = performance.now();
  const mesh = build(size);
  const built = performance.now() - start;
  const { graph, endpoints, routes, services } = mesh;
  const { cells } = graph.stats();
  const rows = [
    [
      "endpoints",
      edit(
        mesh,
        (n) => graph.transaction((tx) => tx.set(endpoints, `s${n % size}`, [`10.9.${n & 255}.1`])),
      ),
    ],
    [
      "weight",
      edit(mesh, (n) =>
        graph.transaction((tx) =>
          tx.set(routes, `r${(n * 2) % size}`, {
            host: service((n * 2) % size).host,
            weight: n + 2,
          })
        )),
    ],
    [
      "new",
      edit(mesh, (n) => graph.transaction((tx) => tx.set(services, `n${n}`, service(size + n)))),
    ],
    [
      "same",
      edit(
        mesh,
        (n) => graph.transaction((tx) => tx.set(services, `s${n % size}`, service(n % size))),
      ),
    ],
  ];
  console.log(
    `S=${String(size).padEnd(5)} build ${built.toFixed(0).padStart(5)} ms  ` +
      `${cells} cells  ${(heap() - before).toFixed(0)} MB`,
  );
  for (const [name, figures] of rows) {
    console.log(`  ${name!.padEnd(10)} ${figures} µs (publish + ${mesh.views.length} deltas)`);
  }
}

/** Runs the benchmark; the first size also runs cold. */
export function main(): Promise<void> {
  const given = Deno.args.find((arg) => arg.startsWith("--sizes="))?.slice("--sizes=".length);
  const sizes = given?.split(",").map(Number) ?? [100, 1000, 5000];
  measure(sizes[0]!);
  console.log("warm:");
  for (const size of sizes) measure(size);
  return Promise.resolve();
}

if (import.meta.main) await main();
