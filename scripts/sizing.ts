/**
 * `deno run -A scripts/sizing.ts`: writes the table of `docs/sizing.md`; `--check` compares.
 *
 * @module
 */
import { fromFileUrl } from "./paths.ts";
import {
  changeCpu,
  type Mesh,
  peakMemory,
  replicas,
  shareOfReplica,
  syncBytes,
  syncCpu,
} from "./sizing_model.ts";

/** Path of `docs/sizing.md`. */
export const PAGE: string = fromFileUrl(new URL("../docs/sizing.md", import.meta.url));

const [BEGIN, END] = ["<!-- table: begin -->", "<!-- table: end -->"];

/** Meshes of the table: services, services that a proxy sees, proxies. */
const MESHES: readonly (readonly [services: number, seen: number, proxies: number])[] = [
  [100, 100, 50],
  [1_000, 1_000, 500],
  [1_000, 1_000, 1_000],
  [2_000, 200, 2_000],
  [5_000, 5_000, 500],
  [5_000, 200, 5_000],
  [10_000, 200, 10_000],
  [10_000, 200, 50_000],
  [10_000, 50, 50_000],
];

/** The table, in Markdown. */
export function sizingTable(): string {
  const rows = MESHES.map(([services, seen, proxies]) => {
    const mesh: Mesh = { services, seen, proxies, workloads: proxies / 10, mutualTls: true };
    const one = shareOfReplica(mesh);
    const cells = [
      services,
      seen,
      proxies,
      Math.round(syncBytes(mesh) / 1000),
      Number(syncCpu(mesh).toPrecision(2)),
      Math.round(changeCpu(proxies)),
      replicas(mesh),
      Math.ceil(peakMemory(one) / 10) * 10,
    ];
    return `| ${cells.map((cell) => cell.toLocaleString("en-US")).join(" | ")} |`;
  });
  return [
    "| services | seen by a proxy | proxies | first sync, KB each | CPU s for all | change for all, CPU ms | replicas | MiB of each |",
    "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ...rows,
  ].join("\n");
}

/** The page with another table. */
export function withTable(page: string, table: string): string {
  const [from, to] = [page.indexOf(BEGIN), page.indexOf(END)];
  return `${page.slice(0, from + BEGIN.length)}\n\n${table}\n\n${page.slice(to)}`;
}

if (import.meta.main) {
  const page = await Deno.readTextFile(PAGE);
  const made = withTable(page, sizingTable());
  if (Deno.args.includes("--check")) Deno.exit(made === page ? 0 : 1);
  await Deno.writeTextFile(PAGE, made);
}
