/**
 * Work in proportion to the change: an edit computes exactly what read it, and
 * as much in a large mesh as in a small one.
 */
import assert from "node:assert/strict";
import { resource } from "../fixture.ts";
import { text } from "../../../kit/key/mod.ts";
import { type Collection, createGraph, type Resource } from "../mod.ts";

interface Service {
  readonly namespace: string;
  readonly host: string;
}

/** Services with endpoints and routes; a public collection of each type, and one a namespace. */
function town(size: number) {
  const graph = createGraph();
  const services = graph.input<Service>("services");
  const endpoints = graph.input<readonly string[]>("endpoints");
  const routes = graph.input<number>("routes");
  const settings = graph.input<number>("settings");
  const byNamespace = graph.index(
    services,
    "byNamespace",
    { bucket: text, member: text },
    (s, key) => [[s.namespace, key], [
      "all",
      key,
    ]],
  );
  const byHost = graph.index(
    services,
    "byHost",
    { bucket: text, member: text },
    (s, key) => [[s.host, key]],
  );
  const owner = graph.derive("owner", text, (read, host) => read.members(byHost, host)[0]);
  const timeout = graph.derive("timeout", text, (read) => (read.get(settings, "mesh") ?? 0) > 10);
  const cluster = graph.derive<readonly Resource[], string>("cluster", text, (read, key) => {
    const service = read.get(services, key);
    return service === undefined ? [] : [resource(key, `${service.host} ${read.get(timeout, "")}`)];
  });
  const assignment = graph.derive<readonly Resource[], string>("assignment", text, (read, key) => [
    resource(key, (read.get(endpoints, key) ?? []).join()),
  ]);
  const host = graph.derive<readonly Resource[], string>("host", text, (read, key) => {
    const service = read.get(services, key);
    const winner = service === undefined ? undefined : read.get(owner, service.host);
    return winner === undefined ? [] : [resource(key, read.get(routes, winner) ?? 0)];
  });
  const collections: Collection[] = [];
  for (const [name, resources] of [["c", cluster], ["e", assignment], ["h", host]] as const) {
    for (const bucket of ["all", "ns0", "ns1"]) {
      const members = { index: byNamespace, buckets: [bucket] };
      collections.push(graph.collection(`${name}@${bucket}`, () => ({ members, resources })));
    }
  }
  graph.transaction((tx) => {
    for (let i = 0; i < size; i++) {
      tx.set(services, `s${i}`, { namespace: `ns${i % 10}`, host: `h${i}` });
      tx.set(endpoints, `s${i}`, [`10.0.0.${i}`]);
      tx.set(routes, `s${i}`, 1);
    }
  });
  for (const collection of collections) collection.retain();
  graph.publish();
  graph.resetStats();
  return { graph, services, endpoints, routes, settings, collections };
}

type Town = ReturnType<typeof town>;

const edits: readonly {
  readonly what: string;
  readonly edit: (town: Town) => void;
  readonly computed: Readonly<Record<string, number>>;
  readonly changed: readonly string[];
}[] = [
  {
    what: "endpoints of one service",
    edit: ({ graph, endpoints }) =>
      graph.transaction((tx) => tx.set(endpoints, "s7", ["10.1.1.1"])),
    computed: { assignment: 1 },
    changed: ["e@all"],
  },
  {
    what: "the weight of one route",
    edit: ({ graph, routes }) => graph.transaction((tx) => tx.set(routes, "s10", 2)),
    computed: { host: 1 },
    changed: ["h@all", "h@ns0"],
  },
  {
    what: "a new service",
    edit: ({ graph, services }) =>
      graph.transaction((tx) => tx.set(services, "new", { namespace: "ns1", host: "new" })),
    computed: { assignment: 1, cluster: 1, host: 1, owner: 1 },
    changed: ["c@all", "c@ns1", "e@all", "e@ns1", "h@all", "h@ns1"],
  },
  {
    what: "a service that goes",
    edit: ({ graph, services }) => graph.transaction((tx) => tx.delete(services, "s5")),
    computed: {},
    changed: ["c@all", "e@all", "h@all"],
  },
  {
    what: "a service that moves to another namespace",
    edit: ({ graph, services }) =>
      graph.transaction((tx) => tx.set(services, "s10", { namespace: "ns1", host: "h10" })),
    computed: { cluster: 1, host: 1 },
    changed: ["c@ns0", "c@ns1", "e@ns0", "e@ns1", "h@ns0", "h@ns1"],
  },
  {
    what: "a second claimant of a host, who loses",
    edit: ({ graph, services }) =>
      graph.transaction((tx) => tx.set(services, "z", { namespace: "ns5", host: "h3" })),
    computed: { assignment: 1, cluster: 1, host: 1, owner: 1 },
    changed: ["c@all", "e@all", "h@all"],
  },
  {
    what: "a setting whose effect stays the same",
    edit: ({ graph, settings }) => graph.transaction((tx) => tx.set(settings, "mesh", 5)),
    computed: { timeout: 1 },
    changed: [],
  },
  {
    what: "rows written as they were",
    edit: ({ graph, services, endpoints }) =>
      graph.transaction((tx) => {
        tx.set(services, "s1", { namespace: "ns1", host: "h1" });
        tx.set(endpoints, "s1", ["10.0.0.1"]);
      }),
    computed: {},
    changed: [],
  },
];

for (const { what, edit, computed, changed } of edits) {
  Deno.test(`work in proportion to the change: ${what}`, () => {
    for (const size of [100, 2000]) {
      const one = town(size);
      edit(one);
      const found = [...one.graph.publish()].map((collection) => collection.name).sort();
      assert.deepEqual(found, changed);
      const counted = Object.entries(one.graph.stats().computedByTable).filter(([, n]) => n > 0);
      assert.deepEqual(Object.fromEntries(counted.sort()), computed, `among ${size}`);
    }
  });
}

Deno.test("a change that affects all cells computes each of them once", () => {
  const { graph, settings } = town(100);
  graph.transaction((tx) => tx.set(settings, "mesh", 50));
  graph.publish();
  assert.deepEqual(graph.stats().computedByTable, {
    owner: 0,
    timeout: 1,
    cluster: 100,
    assignment: 0,
    host: 0,
  });
});

Deno.test("edits between two publications are settled together", () => {
  const { graph, endpoints, collections } = town(100);
  const all = collections.find(({ name }) => name === "e@all")!;
  const from = graph.published;
  for (let i = 0; i < 20; i++) {
    graph.transaction((tx) => tx.set(endpoints, "s7", [`10.2.0.${i}`]));
  }
  graph.publish();
  assert.equal(graph.stats().computed, 1);
  assert.equal(all.since(from)?.length, 1);
});
