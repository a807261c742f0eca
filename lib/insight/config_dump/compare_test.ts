import assert from "node:assert/strict";
import { compareDumps } from "./compare.ts";
import { parseDump } from "./dump.ts";

const TYPE = "type.googleapis.com/envoy.admin.v3.";

interface Parts {
  readonly clusters?: Readonly<Record<string, unknown>>;
  readonly listeners?: Readonly<Record<string, unknown>>;
  readonly routes?: Readonly<Record<string, unknown>>;
}

function dump({ clusters = {}, listeners = {}, routes = {} }: Parts) {
  return parseDump(
    JSON.stringify({
      configs: [
        { "@type": `${TYPE}ClustersConfigDump`, ...clusters },
        { "@type": `${TYPE}ListenersConfigDump`, ...listeners },
        { "@type": `${TYPE}RoutesConfigDump`, ...routes },
      ],
    }),
    "test",
  );
}

const cluster = (name: string, more: object = {}) => ({ cluster: { name, ...more } });
const active = (name: string) => ({ name, active_state: { listener: { name } } });

/** A dump of the daemon: everything counts as in use. */
const SERVED = dump({
  clusters: { dynamic_active_clusters: [cluster("a"), cluster("b", { type: "EDS" })] },
  listeners: { dynamic_listeners: [active("l")] },
  routes: { dynamic_route_configs: [{ route_config: { name: "80" } }] },
});

function differences(own: Parts): string[] {
  const sections = compareDumps(SERVED, dump(own));
  for (const { matches, difference } of sections) assert.equal(matches, difference === "");
  return sections.map(({ title, difference }) => `${title}: ${difference}`);
}

const SAME: Required<Parts> = {
  clusters: {
    static_clusters: [cluster("xds-grpc")],
    dynamic_active_clusters: [cluster("b", { type: "EDS" }), cluster("a")],
  },
  listeners: {
    static_listeners: [{ listener: { name: "health" } }],
    dynamic_listeners: [active("l")],
  },
  routes: {
    static_route_configs: [{ route_config: { name: "health" } }],
    dynamic_route_configs: [{ route_config: { name: "80" } }],
  },
};

Deno.test("a proxy with what is served, and its bootstrap, matches", () => {
  assert.deepEqual(differences(SAME), ["Clusters: ", "Listeners: ", "Routes: "]);
});

Deno.test("resources that the proxy keeps although they are not served are named", () => {
  const [clusters, listeners, routes] = differences({
    clusters: {
      ...SAME.clusters,
      dynamic_active_clusters: [
        cluster("a"),
        cluster("b", { type: "EDS" }),
        cluster("gone"),
      ],
    },
    listeners: {
      dynamic_listeners: [
        active("l"),
        active("old"),
        { name: "closing", draining_state: { listener: { name: "closing" } } },
      ],
    },
    routes: {
      dynamic_route_configs: [{ route_config: { name: "80" } }, { route_config: { name: "81" } }],
    },
  });
  const kept = "the daemon does not serve it; the proxy has it still";
  assert.equal(clusters, `Clusters: + gone: ${kept}\n`);
  assert.equal(listeners, `Listeners: + old: ${kept}\n+ closing: ${kept} (draining)\n`);
  assert.equal(routes, `Routes: + 81: ${kept}\n`);
});

Deno.test("warming resources are named, and never match", () => {
  const [clusters, listeners] = differences({
    ...SAME,
    clusters: {
      dynamic_active_clusters: [cluster("b", { type: "EDS" })],
      dynamic_warming_clusters: [cluster("a"), cluster("b", { type: "EDS" })],
    },
    listeners: {
      dynamic_listeners: [{
        ...active("l"),
        warming_state: { listener: { name: "l" } },
        error_state: { details: "no such filter" },
      }],
    },
  });
  assert.equal(
    clusters,
    "Clusters: ! b: warming: the proxy has received it and still uses the version before\n" +
      "! a: warming: the proxy has received it and does not use it yet\n",
  );
  assert.equal(
    listeners,
    "Listeners: ! l: warming: the proxy has received it and still uses the version before\n" +
      "! l: the proxy rejected an update: no such filter\n",
  );
});

Deno.test("fields that differ are compared with the version in use", () => {
  const [clusters] = differences({
    ...SAME,
    clusters: {
      dynamic_active_clusters: [cluster("a"), cluster("b", { type: "STATIC" })],
      dynamic_warming_clusters: [cluster("b", { type: "EDS" })],
    },
  });
  assert.match(clusters!, /^Clusters: - b: type: "EDS"\n\+ b: type: "STATIC"\n! b: warming/);
});
