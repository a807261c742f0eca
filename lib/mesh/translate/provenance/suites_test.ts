/** Provenance of every resource that the golden suites make: exact, and complete up to what is listed here. */
import assert from "node:assert/strict";
import { objectsOf } from "../../../../tests/support/mesh_fixture.ts";
import { readSuites, type Suite } from "../../../../tests/support/suites.ts";
import {
  type Bench,
  DEFAULT_FEATURES,
  startTranslation,
} from "../../../../tests/support/translation_fixture.ts";
import type { TableKind } from "../../derive/mod.ts";
import { objectKey } from "../../model/mod.ts";
import { TYPE_URLS } from "../resources/mod.ts";
import {
  type FieldGroup,
  type Provenance,
  provenanceOf,
  type ProvenanceQuestion,
} from "./provenance.ts";

/**
 * Tables that a resource's own cell does not read, so its provenance cannot name them: `Kind
 * table`.
 *
 * The endpoints of a workload are part of its proxy's class. Secrets of a layer and hosts of
 * Gateways are members of a layer. Providers are read through Telemetry and AuthorizationPolicies,
 * which are named; for a Sidecar's HTTP port, the Sidecar is named.
 */
const UNTOLD: readonly string[] = [
  "WorkloadEntry cds.class",
  "WorkloadEntry lds.class",
  "WorkloadEntry lds.gateway",
  "WorkloadEntry lds",
  "WorkloadEntry lds.grpc.class",
  "ServiceEntry lds.grpc.class",
  "DestinationRule sds.gateway",
  "Gateway sds.gateway",
  "Gateway cds.automatic",
  "Gateway eds.automatic",
  "ServiceEntry lds",
  "ServiceEntry lds.class",
  "ServiceEntry lds.egress",
];

interface Served {
  readonly id: string;
  readonly table: string;
  readonly version: string;
  readonly why: Provenance;
}

function start(suite: Suite): Bench {
  const bench = startTranslation(suite.mesh, { ...DEFAULT_FEATURES, ...suite.features });
  bench.apply({ credentials: new Map(Object.entries(suite.credentials)) });
  if (suite.input !== "") bench.set(suite.input);
  return bench;
}

/** Returns all resources of the suite's proxies. */
function lookAt(bench: Bench, { proxies }: Suite): () => Served[] {
  const { mesh, source } = bench.translation;
  const bindings = Object.entries(proxies).map(([key, node]) => ({
    key,
    binding: source.bind(node, () => {}),
  }));
  return () =>
    bindings.flatMap(({ key, binding }) =>
      Object.entries(TYPE_URLS).flatMap(([word, type]) => {
        const view = binding.view(type);
        return [...view?.entries() ?? []].map(({ name, version }) => ({
          id: `${key} ${word} ${name}`,
          table: view!.cellOf(name)!.table,
          version,
          why: whyOf({ mesh, view: view!, type, name }),
        }));
      })
    );
}

/** The provenance as a whole; that of each virtual host asked for alone has the same groups. */
function whyOf(question: ProvenanceQuestion): Provenance {
  const all = provenanceOf(question)!;
  if (question.type !== TYPE_URLS.route) return all;
  for (const part of new Set(all.groups.flatMap(({ of: [first] }) => first ?? []))) {
    const { groups, exact } = provenanceOf({ ...question, parts: new Set([part]) })!;
    const own = (one: FieldGroup): boolean => one.of[0] === part;
    assert.deepEqual(groups.filter(own), all.groups.filter(own), `${question.name} ${part}`);
    assert.equal(exact, all.exact);
  }
  return all;
}

/** Objects that are named in an explanation, those that lost included. */
function named({ objects, groups }: Provenance): Set<string> {
  return new Set([
    ...objects.map((o) => `${o.kind}/${o.namespace}/${o.name}`),
    ...groups.flatMap((g) => g.passedOver ?? []).map(({ object }) => object ?? ""),
  ]);
}

for (const suite of readSuites()) {
  Deno.test(`why: ${suite.name}`, () => {
    const bench = start(suite);
    const look = lookAt(bench, suite);
    const before = look();
    assert.ok(before.length > 0);
    for (const { id, why } of before) {
      assert.ok(why.groups.length > 0, `no decisions are recorded for ${id}`);
      assert.equal(why.exact, true, id);
    }
    for (const object of objectsOf(suite.input)) {
      const key = objectKey(object.meta);
      const { kind } = object.meta;
      bench.remove(kind as TableKind, key);
      const after = new Map(look().map(({ id, version }) => [id, version]));
      for (const { id, table, version, why } of before) {
        if (after.get(id) === version || named(why).has(`${kind}/${key}`)) continue;
        assert.ok(
          UNTOLD.includes(`${kind} ${table}`),
          `${id} (${table}) is not told of ${kind} ${key}`,
        );
      }
      bench.set(suite.input);
    }
  });
}
