/** The background audit reports all differences, and nothing else. */
import assert from "node:assert/strict";
import { destinationRule, serviceEntry, virtualService } from "../../../tests/support/corpus.ts";
import {
  type Bench,
  everything,
  proxyNode,
  startTranslation,
  TAKES_PARTS,
} from "../../../tests/support/translation_fixture.ts";
import { type AuditReport, createSelfAudit } from "./mod.ts";
import { TYPE_URLS } from "../../mesh/model/mod.ts";

/** A small mesh with proxies of both roles. */
function mesh() {
  const bench = startTranslation();
  const documents = Array.from({ length: 60 }, (_, i) => [
    serviceEntry(i),
    virtualService(i),
    destinationRule(i),
  ]).flat();
  bench.set(documents.join("---\n"));
  const bindings = ["ns-1", "ns-2"].flatMap((ns) =>
    [{}, TAKES_PARTS].map((more) => bench.translation.source.bind(proxyNode(ns, more), () => {}))
  );
  const seen = () => bindings.map(everything);
  return { bench, bindings, seen };
}

function auditOf(bench: Bench) {
  const found: AuditReport[] = [];
  let time = 0;
  const audit = createSelfAudit({
    graph: bench.graph,
    publish: () => bench.apply({}),
    clock: () => 1_000,
    now: () => time++,
    millis: 100,
    onDifference: (report) => found.push(report),
  });
  const pass = () => {
    const { passes } = audit.summary();
    while (audit.summary().passes === passes) audit.round();
  };
  return { audit, found, pass };
}

Deno.test("thousands of audits of a busy mesh find no difference", () => {
  const { bench, seen } = mesh();
  const { audit, found, pass } = auditOf(bench);
  const start = seen();
  for (let n = 0; n < 3; n++) {
    pass();
    bench.set([serviceEntry(n, n + 1), virtualService(n + 9, n + 2)].join("---\n"));
    pass();
    bench.remove("DestinationRule", `ns-${n}/svc-${n}`);
  }
  pass();
  const { audited, skipped, differences, reports } = audit.summary();
  assert.ok(audited > 3_000, `${audited} audited`);
  assert.ok(skipped < audited / 4, `${skipped} skipped of ${audited}`);
  assert.deepEqual([differences, reports, found], [0, [], []]);
  assert.notDeepEqual(seen(), start);
});

Deno.test("a corrupted cell is found and reported, and its dependents are repaired", () => {
  const { bench, bindings, seen } = mesh();
  const right = seen();
  const { audit, found, pass } = auditOf(bench);
  const view = bindings[0]!.view(TYPE_URLS.cluster)!;
  const name = [...view.names()].find((one) => one.includes("svc-7"))!;
  const cell = view.cellOf(name)!;
  // Simulates corrupted memory: a shared resource gets another version.
  (view.get(name) as { version: string }).version = "spoilt";
  assert.notDeepEqual(seen(), right);
  pass();
  assert.deepEqual(seen(), right);
  assert.ok(found.length >= 1);
  const { differences, reports } = audit.summary();
  assert.deepEqual([differences, reports.length], [found.length, found.length]);
  const wrong = found.flatMap((report) => report.wrong.map((one) => `${one.table}/${one.key}`));
  // The reported cell has the value from a shared cell, which is found first.
  assert.ok(wrong.some((one) => one.startsWith(cell.table) && one.includes("svc-7")), wrong.join());
  assert.ok(found.some(({ origins }) => origins.includes("ServiceEntry/ns-7/svc-7")));
  assert.equal(found[0]!.at, 1_000);
  pass();
  pass();
  assert.equal(audit.summary().differences, differences);
});

Deno.test("a collection that lost a resource gets it back, and the proxies are sent it", () => {
  const { bench, bindings, seen } = mesh();
  const right = seen();
  const { audit, pass } = auditOf(bench);
  const view = bindings[0]!.view(TYPE_URLS.endpoint)!;
  const layer = view.layers.find(({ size }) => size > 0)!;
  const published = bench.graph.published;
  (layer.content as Map<string, unknown>).delete([...layer.content.keys()][3]!);
  const publications: string[][] = [];
  bench.translation.source.onPublish((changed) =>
    publications.push([...changed].map((c) => c.name))
  );
  pass();
  assert.deepEqual(seen(), right);
  assert.deepEqual(publications, [[layer.name]]);
  assert.equal(bench.graph.published, published + 1);
  assert.deepEqual(audit.summary().reports.map(({ cell }) => cell), [{
    table: layer.name,
    key: "",
  }]);
});
