import {
  dataError,
  EXIT_FINDINGS,
  type Invocation,
  type Io,
  readInput,
} from "../../kit/cli/mod.ts";
import { readAccessLogs } from "./seen_requests.ts";
import type { SeenDocument } from "../../mesh/schema/mod.ts";
import type { BlastRadius } from "../offline/mod.ts";
import type { DebugPages } from "../daemon_client/mod.ts";
import type { MeshContent } from "./offline_files.ts";
import type { ManifestInput } from "../mesh_input/mod.ts";
import type { ObjectChange } from "../../mesh/ingest/mod.ts";
import { printable } from "../../kit/base/mod.ts";

/** Options of a comparison. */
export interface DiffOptions {
  readonly files: readonly string[];
  readonly removals: readonly string[];
  /** Files of access logs, whose requests are compared, too. */
  readonly accessLogs: readonly string[];
  /** Default namespace of the documents; empty for `default`. */
  readonly namespace: string;
  readonly readMesh: () => Promise<MeshContent>;
  /** Facts that the source of the mesh cannot know, as sentences. */
  readonly limits: readonly string[];
  readonly failOn: string;
  readonly output: string;
  readonly signal: AbortSignal;
}

/** Facts that files, or the objects of a cluster, cannot tell. */
export function limitsOf({ flags }: Pick<Invocation, "flags">): readonly string[] {
  return flags.list("config-dir").length > 0
    ? [
      "files do not tell which proxies run: a sidecar is assumed beside each WorkloadEntry, endpoint " +
      "and injected workload, and a gateway for each Gateway",
      "files do not tell the service account of a gateway, unless a workload has the labels of its " +
      "selector; use --daemon for the proxies that run",
    ]
    : [
      "the objects of a cluster do not tell which proxies are connected; use --daemon for these",
    ];
}

/** Severity of changes; a threshold includes the worse ones. */
const ORDER = ["proxies", "moved", "allowed", "denied"];

/** Shows the blast radius of a change; the status is 79 at or above the threshold. */
export async function diffFiles(options: DiffOptions, io: Io): Promise<number> {
  const { blastRadius, MAX_SEEN } = await import("../offline/mod.ts");
  const { checkConfigFiles } = await import("../../mesh/sources/mod.ts");
  const { inputFiles } = await import("../mesh_input/mod.ts");
  const { files, removals, signal } = options;
  const named = await inputFiles(files, false);
  const namespace = options.namespace === "" ? undefined : options.namespace;
  const documents: SeenDocument[] = [];
  const { problems: [fault], objects } = await checkConfigFiles(named, {
    namespace,
    foreign: () => {},
    seen: (document) => documents.push(document),
  });
  if (fault !== undefined) {
    throw dataError(`${fault.file}:${fault.line}: ${fault.message}`, fault.remedy);
  }
  const texts: string[] = [];
  for (const file of named) texts.push(await readInput(file, io));
  const { seen, notes } = await readAccessLogs(options.accessLogs, MAX_SEEN, io);
  const mesh = await options.readMesh();
  const change = { seen: documents, objects };
  const blast = await blastRadius({
    ...mesh,
    rows: await changesOfManifests(mesh, change, { namespace, removals }, io),
    documents: texts.join("\n---\n"),
    removals,
    namespace,
    seen,
    limits: [...options.limits, ...notes],
    signal,
  });
  return await report(blast, options, io);
}

/** The changes of Services and workloads that documents make; beside a live cluster they are left out. */
async function changesOfManifests(
  mesh: MeshContent,
  change: ManifestInput,
  { namespace, removals }: {
    readonly namespace: string | undefined;
    readonly removals: readonly string[];
  },
  io: Io,
): Promise<ObjectChange[]> {
  const { manifestChanges, manifestNames } = await import("../mesh_input/mod.ts");
  if (mesh.manifests === undefined) {
    for (const name of manifestNames(change.seen, namespace)) {
      io.err(`${printable(`Warning: ${name} is left out: its pods are those of the cluster`)}\n`);
    }
    return [];
  }
  return await manifestChanges(mesh.manifests, { ...change, removals }, {
    namespace,
    warn: (message) => io.err(`${printable(`Warning: ${message}`)}\n`),
  });
}

/** The effect of a change on the proxies that are connected to daemons. */
export async function diffDaemon(
  pages: DebugPages,
  options: Omit<DiffOptions, "readMesh" | "limits">,
  io: Io,
): Promise<number> {
  const { inputFiles } = await import("../mesh_input/mod.ts");
  const { MAX_SEEN } = await import("../offline/mod.ts");
  const { seen, notes } = await readAccessLogs(options.accessLogs, MAX_SEEN, io);
  const texts: string[] = [];
  for (const file of await inputFiles(options.files, false)) texts.push(await readInput(file, io));
  const found = await Promise.allSettled(
    pages.each.map((read) => read("request/proxies", [["at", "*"]])),
  );
  const proxies = found.flatMap((one) =>
    one.status === "fulfilled" ? JSON.parse(one.value) as unknown[] : []
  );
  const silent = found.filter(({ status }) => status === "rejected").length;
  const text = await pages.read("request/compare", [
    ["documents", texts.join("\n---\n")],
    ...options.removals.map((one) => ["remove", one] as const),
    ["proxies", JSON.stringify(proxies)],
    ...seen.length === 0 ? [] : [["seen", JSON.stringify(seen)] as const],
    ...options.namespace === "" ? [] : [["namespace", options.namespace] as const],
  ]);
  const blast = JSON.parse(text) as BlastRadius;
  const limits = silent === 0 ? [] : [
    `${silent} of ${found.length} daemons did not answer: proxies that are connected to them alone ` +
    "are missing",
  ];
  return await report({ ...blast, limits: [...blast.limits, ...limits, ...notes] }, options, io);
}

async function report(
  blast: BlastRadius,
  options: Pick<DiffOptions, "output" | "failOn">,
  io: Io,
): Promise<number> {
  io.out(await shown(blast, options.output));
  return isAtLeast(blast, options.failOn) ? EXIT_FINDINGS : 0;
}

async function shown(blast: BlastRadius, output: string): Promise<string> {
  const { blastMarkdown, blastText } = await import("../offline/mod.ts");
  switch (output) {
    case "json":
      return `${JSON.stringify(blast, null, 2)}\n`;
    case "markdown":
      return blastMarkdown(blast);
    default:
      return blastText(blast);
  }
}

function isAtLeast({ prediction, requests }: BlastRadius, threshold: string): boolean {
  if (threshold === "never") return false;
  const found = [
    ...(prediction.proxies.concerned > 0 ? ["proxies"] : []),
    ...requests.changes.map(({ change }) => change),
  ];
  return found.some((one) => ORDER.indexOf(one) >= ORDER.indexOf(threshold));
}
