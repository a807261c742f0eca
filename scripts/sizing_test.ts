/**
 * The formulae of docs/sizing.md: their bytes and resources against a translated mesh, counted; their
 * times and memory against measured rows of docs/performance.md.
 */
import assert from "node:assert/strict";
import { TYPE_URLS } from "../lib/mesh/model/mod.ts";
import {
  destinationRule,
  serviceEntry,
  strictAuthentication,
  virtualService,
} from "../tests/support/corpus.ts";
import { objectsOf } from "../tests/support/mesh_fixture.ts";
import {
  changeOf,
  proxyNode,
  startTranslation,
  TAKES_PARTS,
} from "../tests/support/translation_fixture.ts";
import { PAGE, sizingTable, withTable } from "./sizing.ts";
import {
  changeCpu,
  type Mesh,
  peakMemory,
  replicas,
  RESOURCES_PER_SERVICE,
  shareOfReplica,
  syncBytes,
  syncCpu,
} from "./sizing_model.ts";

/** Name, type and version of a resource in a response, bytes. */
const ENTRY = 120;

/** Resources and bytes of one proxy. */
function countOf(services: number, mutualTls: boolean): { resources: number; bytes: number } {
  const bench = startTranslation();
  const account = mutualTls ? "app" : undefined;
  const documents = mutualTls ? [strictAuthentication()] : [];
  for (let i = 0; i < services; i++) {
    documents.push(serviceEntry(i, 0, account));
    if (i % 2 === 0) documents.push(virtualService(i));
    if (i % 4 === 0) documents.push(destinationRule(i));
  }
  bench.apply({ objects: objectsOf(documents.join("---\n")).map(changeOf) });
  const metadata = mutualTls ? { AGENT_CERTIFICATES: "true", SERVICE_ACCOUNT: "app" } : {};
  const binding = bench.translation.source.bind(
    proxyNode("ns-0", { ...TAKES_PARTS, metadata }),
    () => {},
  );
  const { cluster, endpoint, listener, route, virtualHost } = TYPE_URLS;
  const all = [cluster, endpoint, listener, route, virtualHost].flatMap((
    url,
  ) => [...binding.view(url)?.entries() ?? []]);
  return {
    resources: all.length,
    bytes: all.reduce((sum, { bytes, name }) => sum + bytes.length + name.length + ENTRY, 0),
  };
}

for (const mutualTls of [false, true]) {
  Deno.test(`a service adds the bytes and resources of the model, ${mutualTls ? "with" : "without"} mutual TLS`, () => {
    const [few, many] = [countOf(40, mutualTls), countOf(120, mutualTls)];
    const bytes = syncBytes({ seen: 120, mutualTls }) - syncBytes({ seen: 40, mutualTls });
    assertNear(many.bytes - few.bytes, bytes, 0.1);
    assertNear((many.resources - few.resources) / 80, RESOURCES_PER_SERVICE, 0.15);
  });
}

const PUSH: Mesh = {
  services: 1000,
  seen: 1000,
  proxies: 500,
  workloads: 100,
  mutualTls: false,
};

/** Rows of docs/performance.md: CPU seconds and peak MiB of a first sync. */
const MEASURED: readonly (readonly [what: string, mesh: Mesh, cpu: number, mib: number])[] = [
  ["1,000 services, 500 proxies", PUSH, 3.5, 371],
  ["with mutual TLS", { ...PUSH, mutualTls: true }, 7.4, 338],
  ["5,000 services, 100 proxies", { ...PUSH, services: 5000, seen: 5000, proxies: 100 }, 5.1, 601],
];

for (const [what, mesh, cpu, mib] of MEASURED) {
  Deno.test(`the model agrees with what was measured: ${what}`, () => {
    assertNear(syncCpu(mesh), cpu, 0.3);
    assertNear(peakMemory(mesh), mib, 0.3);
  });
}

Deno.test("a change costs what it concerns, and replicas take the proxies of a lost one", () => {
  assert.equal(changeCpu(200) - changeCpu(100), changeCpu(1100) - changeCpu(1000));
  assertNear(changeCpu(500), 140, 0.2);
  const large = { ...PUSH, seen: 200, proxies: 50_000 };
  assert.equal(shareOfReplica(large).proxies, Math.ceil(50_000 / (replicas(large) - 1)));
  assert(syncCpu(shareOfReplica(large)) <= 61);
  assert(shareOfReplica(large).proxies <= 10_000);
});

Deno.test("docs/sizing.md has the computed table", async () => {
  const page = await Deno.readTextFile(PAGE);
  const cells = (text: string): string[] => text.split(/[|\n]/).map((cell) => cell.trim());
  assert.deepEqual(
    cells(page).filter(isFigure),
    cells(withTable(page, sizingTable())).filter(isFigure),
  );
});

function isFigure(cell: string): boolean {
  return /^[\d,.]+$/.test(cell);
}

function assertNear(actual: number, expected: number, share: number): void {
  const off = Math.abs(actual - expected) / expected;
  assert(off <= share, `${actual} instead of ${expected}`);
}
