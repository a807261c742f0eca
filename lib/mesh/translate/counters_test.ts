/**
 * Work in proportion to the change: what an edit computes and sends is counted,
 * and is the same in a mesh of 100 services and in one of 2,000.
 */
import assert from "node:assert/strict";
import {
  destinationRule,
  namespaceOf,
  serviceEntry,
  virtualService,
} from "../../../tests/support/corpus.ts";
import { objectsOf } from "../../../tests/support/mesh_fixture.ts";
import {
  type Bench,
  changeOf,
  proxyNode,
  startTranslation,
  TAKES_PARTS,
} from "../../../tests/support/translation_fixture.ts";
import { TYPE_URLS } from "./resources/mod.ts";

/** Work for one edit. */
interface Cost {
  /** Computations, by table, without those that were not run. */
  readonly computed: Readonly<Record<string, number>>;
  /** Resources sent to one proxy, by type: `+name` for new and changed ones, `-name` for removed ones. */
  readonly sent: Readonly<Record<string, readonly string[]>>;
  /** Bytes of the resources sent to one proxy. */
  readonly bytes: number;
}

/** Variant: whole route tables, or virtual hosts as separate resources (VHDS). */
type Variant = "whole" | "apart";

interface World {
  edit(change: (bench: Bench, services: number) => number): Cost;
}

/** A mesh with this number of services and a synced proxy in each of its 20 namespaces. */
function world(services: number, variant: Variant): World {
  const bench = startTranslation();
  const documents: string[] = [];
  for (let i = 0; i < services; i++) {
    documents.push(serviceEntry(i));
    if (i % 2 === 0) documents.push(virtualService(i));
    if (i % 4 === 0) documents.push(destinationRule(i));
  }
  bench.apply({ objects: objectsOf(documents.join("---\n")).map(changeOf) });
  const more = variant === "apart" ? TAKES_PARTS : {};
  const bindings = Array.from(
    { length: 20 },
    (_, n) => bench.translation.source.bind(proxyNode(`ns-${n}`, more), () => {}),
  );
  const sizes = (): number =>
    bindings.reduce(
      (sum, binding) =>
        sum + Object.values(TYPE_URLS).reduce((n, u) => n + (binding.view(u)?.size ?? 0), 0),
      0,
    );
  assert.ok(sizes() > services * 20, "every proxy sees every service");
  return {
    edit: (change) => {
      bench.graph.resetStats();
      const before = change(bench, services);
      const { computedByTable } = bench.graph.stats();
      let bytes = 0;
      const sent = Object.entries(TYPE_URLS).flatMap(([short, url]) => {
        const delta = bindings[0]!.view(url)?.since(before);
        if (delta === undefined) return [];
        for (const r of delta.changed) bytes += r.bytes.length;
        const names = [
          ...delta.changed.map((r) => `+${r.name}`),
          ...delta.removed.map((name) => `-${name}`),
        ];
        return names.length === 0 ? [] : [[short, names] as const];
      });
      const ran = Object.entries(computedByTable).filter(([, n]) => n > 0);
      return { computed: Object.fromEntries(ran), sent: Object.fromEntries(sent), bytes };
    },
  };
}

/** The service that is not there at first is called by their number. */
const cluster = (service: number | string) => `outbound|80||svc-${service}.bench.example`;

const virtualHost = (service: number | string) => `80/svc-${service}.bench.example:80`;

/**
 * Computed cells for the edit of a service: endpoints, clusters and routes, equal for both
 * variants.
 */
const NEW_SERVICE = {
  "service": 1,
  "endpoints": 1,
  "service.resolve": 2,
  "policy.rules": 2,
  "route.mesh": 2,
  "scope.overlayHosts": 1,
  "cds.content": 1,
  "cds": 1,
  "cds.overlay": 1,
  "eds.content": 1,
  "eds": 1,
  "eds.overlay": 1,
  "lds.overlayMembers": 1,
  "detected.overlay": 1,
  "vhost": 2,
};

const EDITS: readonly {
  readonly what: string;
  readonly change: (bench: Bench, services: number) => number;
  readonly sent: (services: number) => Readonly<Record<Variant, Cost["sent"]>>;
  readonly computed: Readonly<Record<Variant, Cost["computed"]>>;
}[] = [
  {
    what: "an endpoint",
    change: (bench) => bench.set(serviceEntry(1, 7)),
    sent: () => both({ endpoint: [`+${cluster(1)}`] }),
    computed: both({
      "service": 1,
      "endpoints": 1,
      "service.resolve": 3,
      "eds.content": 1,
      "eds": 1,
      "eds.overlay": 1,
    }),
  },
  {
    what: "the weight of a route",
    change: (bench) => bench.set(virtualService(2, 55)),
    sent: () => ({ whole: { route: ["+80"] }, apart: { virtualHost: [`+${virtualHost(2)}`] } }),
    computed: {
      whole: {
        "route.mesh": 3,
        "route.spec": 1,
        "vhost": 3,
        "vhost.overlay": 2,
        "rds.public": 1,
      },
      apart: { "route.mesh": 3, "route.spec": 1, "vhost": 3, "vhds": 1, "vhds.overlay": 2 },
    },
  },
  {
    what: "a new service",
    change: (bench, services) => bench.set(serviceEntry(services)),
    sent: (services) => {
      const rest = { cluster: [`+${cluster(services)}`], endpoint: [`+${cluster(services)}`] };
      return {
        whole: { ...rest, route: ["+80"] },
        apart: { ...rest, virtualHost: [`+${virtualHost(services)}`] },
      };
    },
    computed: {
      whole: { ...NEW_SERVICE, "vhost.overlay": 1, "vhost.overlayHosts": 1, "rds.public": 1 },
      apart: { ...NEW_SERVICE, "vhds": 1, "vhds.overlay": 1 },
    },
  },
  {
    what: "a service that goes",
    change: (bench, services) => bench.remove("ServiceEntry", keyOf(services)),
    sent: (services) => {
      const rest = { cluster: [`-${cluster(services)}`], endpoint: [`-${cluster(services)}`] };
      return {
        whole: { ...rest, route: ["+80"] },
        apart: { ...rest, virtualHost: [`-${virtualHost(services)}`] },
      };
    },
    computed: {
      whole: {
        "scope.overlayHosts": 1,
        "lds.overlayMembers": 1,
        "detected.overlay": 1,
        "vhost.overlayHosts": 1,
        "rds.public": 1,
      },
      apart: { "scope.overlayHosts": 1, "lds.overlayMembers": 1, "detected.overlay": 1 },
    },
  },
  {
    what: "a document that is written again",
    change: (bench) => bench.set(serviceEntry(3)),
    sent: () => both({}),
    computed: both({}),
  },
];

function both<T>(cost: T): Readonly<Record<Variant, T>> {
  return { whole: cost, apart: cost };
}

function keyOf(service: number): string {
  return `${namespaceOf(service)}/svc-${service}`;
}

for (const variant of ["whole", "apart"] as const) {
  Deno.test(`with tables ${variant} an edit costs the same at 100 and at 2,000 services`, async (t) => {
    const [small, large] = [world(100, variant), world(2000, variant)];
    for (const { what, change, sent, computed } of EDITS) {
      await t.step(what, () => {
        const at100 = small.edit(change);
        const at2000 = large.edit(change);
        assert.deepEqual(at100.computed, computed[variant]);
        assert.deepEqual(at2000.computed, at100.computed);
        assert.deepEqual(at100.sent, sent(100)[variant]);
        assert.deepEqual(at2000.sent, sent(2000)[variant]);
        // But for the number in its name a resource is what it was.
        if (variant === "apart") assert.ok(Math.abs(at2000.bytes - at100.bytes) < 50);
      });
    }
  });
}
