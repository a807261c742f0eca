/**
 * Work in proportion to the change: what an edit computes and sends is counted,
 * and is the same in a mesh of 100 services and in one of 1,000.
 */
import assert from "node:assert/strict";
import { destinationRule, serviceEntry, virtualService } from "../../bench/push/corpus.ts";
import {
  type Bench,
  changeOf,
  proxyNode,
  startTranslation,
} from "../../tests/support/translation_fixture.ts";
import { objectsOf } from "../../tests/support/mesh_fixture.ts";
import { TYPE_URLS } from "./mod.ts";

/** What one edit took. */
interface Cost {
  /** Computations, by table, without those that were not run. */
  readonly computed: Readonly<Record<string, number>>;
  /** Resources sent to one proxy, by type. */
  readonly sent: Readonly<Record<string, number>>;
}

interface World {
  readonly bench: Bench;
  edit(yaml: string): Cost;
}

/** A mesh of so many services with a proxy in each of its 20 namespaces, all of them synced. */
function world(services: number): World {
  const bench = startTranslation();
  const documents: string[] = [];
  for (let i = 0; i < services; i++) {
    documents.push(serviceEntry(i));
    if (i % 2 === 0) documents.push(virtualService(i));
    if (i % 4 === 0) documents.push(destinationRule(i));
  }
  bench.translation.apply({ objects: objectsOf(documents.join("---\n")).map(changeOf) });
  const seats = Array.from(
    { length: 20 },
    (_, n) => bench.translation.source.seat(proxyNode(`ns-${n}`), () => {}),
  );
  const sizes = (): number =>
    seats.reduce(
      (sum, seat) => sum + Object.values(TYPE_URLS).reduce((n, u) => n + seat.view(u)!.size, 0),
      0,
    );
  assert.ok(sizes() > services * 20, "every proxy sees every service");
  return {
    bench,
    edit: (yaml) => {
      bench.graph.resetStats();
      const before = bench.set(yaml);
      const { computedByTable } = bench.graph.stats();
      const sent = Object.entries(TYPE_URLS).map(([short, url]) => {
        const delta = seats[0]!.view(url)!.since(before)!;
        return [short, delta.changed.length + delta.removed.length] as const;
      });
      return {
        computed: Object.fromEntries(Object.entries(computedByTable).filter(([, n]) => n > 0)),
        sent: Object.fromEntries(sent),
      };
    },
  };
}

const EDITS: readonly {
  readonly what: string;
  readonly yaml: (services: number) => string;
  readonly sent: Readonly<Record<string, number>>;
  /** Computations in all. */
  readonly computed: number;
}[] = [
  {
    what: "an endpoint",
    yaml: () => serviceEntry(1, 7),
    sent: { cluster: 0, endpoint: 1, listener: 0, route: 0 },
    computed: 9,
  },
  {
    what: "the weight of a route",
    yaml: () => virtualService(2, 55),
    sent: { cluster: 0, endpoint: 0, listener: 0, route: 1 },
    computed: 9,
  },
  {
    what: "a new service",
    yaml: (services) => serviceEntry(services),
    sent: { cluster: 1, endpoint: 1, listener: 0, route: 1 },
    computed: 23,
  },
  {
    what: "a document that is written again",
    yaml: () => serviceEntry(3),
    sent: { cluster: 0, endpoint: 0, listener: 0, route: 0 },
    computed: 0,
  },
];

Deno.test("an edit computes and sends the same at 100 and at 1,000 services", async (t) => {
  const [small, large] = [world(100), world(1000)];
  for (const { what, yaml, sent, computed } of EDITS) {
    await t.step(what, () => {
      const at100 = small.edit(yaml(100));
      const at1000 = large.edit(yaml(1000));
      assert.deepEqual(at100.sent, sent);
      assert.deepEqual(at1000, at100);
      const total = Object.values(at100.computed).reduce((a, b) => a + b, 0);
      assert.equal(total, computed, JSON.stringify(at100.computed));
    });
  }
});
