/**
 * `deno task bench translate [--services=5000]`: the first translation of one proxy class, of a
 * second one that sees the same, and of fifty in twenty namespaces; then microseconds and bytes of
 * a resource by type. Half of the services have routes, a quarter have subsets.
 *
 * @module
 */
import {
  type Bench,
  changeOf,
  proxyNode,
  startTranslation,
} from "../support/translation_fixture.ts";
import { objectsOf } from "../support/mesh_fixture.ts";
import { type ProxyBinding, TYPE_URLS } from "../../lib/mesh/model/mod.ts";
import { numberFlag } from "./flags.ts";
import { calibrate } from "./push/calibrate.ts";
import { destinationRule, NAMESPACES, serviceEntry, virtualService } from "../support/corpus.ts";

/** Number of classes that are built after the first two. */
const CLASSES = 50;

function loaded(services: number): Bench {
  const bench = startTranslation();
  const documents: string[] = [];
  for (let i = 0; i < services; i++) {
    documents.push(serviceEntry(i));
    if (i % 2 === 0) documents.push(virtualService(i));
    if (i % 4 === 0) documents.push(destinationRule(i));
  }
  bench.apply({ objects: objectsOf(documents.join("---\n")).map(changeOf) });
  return bench;
}

/** Milliseconds to bind a proxy and read all of its views. */
function build(bench: Bench, namespace: string, app: string, bindings: ProxyBinding[]): number {
  const node = { ...proxyNode(namespace), metadata: { LABELS: { app } } };
  const start = performance.now();
  const binding = bench.translation.source.bind(node, () => {});
  bindings.push(binding);
  for (const url of Object.values(TYPE_URLS)) {
    for (const { bytes } of binding.view(url)?.entries() ?? []) void bytes.length;
  }
  return performance.now() - start;
}

/** Microseconds and bytes of a resource by type, in a new mesh. */
function byType(services: number): string[] {
  const bench = loaded(services);
  const binding = bench.translation.source.bind(proxyNode("ns-0"), () => {});
  return Object.entries(TYPE_URLS).map(([name, url]) => {
    const start = performance.now();
    let count = 0;
    let bytes = 0;
    for (const resource of binding.view(url)?.entries() ?? []) {
      count++;
      bytes += resource.bytes.length;
    }
    const micros = (performance.now() - start) * 1000;
    const each = (sum: number): string => count === 0 ? "" : (sum / count).toFixed(0);
    return `| ${services} | ${name} | ${count} | ${each(micros)} | ${each(bytes)} |`;
  });
}

/** Runs the benchmark. */
export function main(): Promise<void> {
  const most = numberFlag("services", 5000);
  const sizes = [100, 1000, 5000].filter((size) => size <= most);
  console.log(`fixed work: ${calibrate().toFixed(2)} s\n`);
  loaded(100);
  const lines: string[] = [];
  console.log("| services | first class ms | second ms | share | 50 classes, each ms |");
  console.log("|---|---|---|---|---|");
  for (const services of sizes) {
    const bench = loaded(services);
    const bindings: ProxyBinding[] = [];
    const first = build(bench, "ns-0", "first", bindings);
    const second = build(bench, "ns-0", "second", bindings);
    let many = 0;
    for (let i = 0; i < CLASSES; i++) {
      many += build(bench, `ns-${i % NAMESPACES}`, `w${i}`, bindings);
    }
    const figures = [first.toFixed(0), second.toFixed(1), (second / first).toFixed(3)];
    console.log(`| ${services} | ${figures.join(" | ")} | ${(many / CLASSES).toFixed(1)} |`);
    lines.push(...byType(services));
  }
  console.log("\n| services | type | resources | µs each | bytes each |\n|---|---|---|---|---|");
  console.log(lines.join("\n"));
  return Promise.resolve();
}

if (import.meta.main) await main();
