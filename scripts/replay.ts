/**
 * Replays a recording of the daemon's input (`MESH_INPUT_LOG`) without a daemon:
 *
 *     deno task replay input.log
 *     deno task replay input.log --revision=12 --proxy=NODE [--name=RESOURCE]
 *     deno task replay input.log --from=10 --revision=12 --proxy=NODE
 *
 * Without a proxy it lists the revisions. With one (a node id such as
 * `sidecar~10.0.0.1~app.ns~ns.svc.cluster.local`, and `--labels=app=web,version=v1`) it lists the
 * resources of the proxy at a revision, or the differences between two; `--name` prints one
 * resource in full.
 *
 * @module
 */
import { parseArgs } from "node:util";
import { MeshError } from "../lib/kit/base/mod.ts";
import { diffResource, renderChanges, showResource } from "../lib/insight/diff/mod.ts";
import type { Resource } from "../lib/mesh/graph/mod.ts";
import { type LogLine, replay, type Replayed } from "../lib/insight/history/mod.ts";
import { type ProxyBinding, type ProxyNode, type Role, TYPE_URLS } from "../lib/mesh/model/mod.ts";

/** The resources of one proxy, by type and name. */
type Served = ReadonlyMap<string, ReadonlyMap<string, Resource>>;

/** The answer to a command line, line by line. */
export function answerReplay(text: string, args: readonly string[]): string {
  const { values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      revision: { type: "string" },
      from: { type: "string" },
      proxy: { type: "string" },
      labels: { type: "string", default: "" },
      name: { type: "string" },
    },
  });
  if (values.proxy === undefined) return listRevisions(text);
  const node = nodeOf(values.proxy, values.labels);
  const until = values.revision === undefined ? Infinity : Number(values.revision);
  if (values.from === undefined) {
    const played = replay(text, until);
    return heading(played) + showServed(servedBy(played, node), values.name);
  }
  const played = replay(text, Number(values.from));
  const before = servedBy(played, node);
  played.advance(until);
  return heading(played) + showDifference(before, servedBy(played, node));
}

function listRevisions(text: string): string {
  return text.split("\n").slice(1, -1).map((line) => {
    const { revision, at, whole, rows } = JSON.parse(line) as LogLine;
    const what = whole
      ? `${rows.length} rows, all there are`
      : rows.map(({ table, key, row }) => `${row === undefined ? "-" : "+"}${table}/${key}`)
        .join(" ");
    return `${revision}  ${new Date(at).toISOString()}  ${what}\n`;
  }).join("");
}

function heading({ revision, at }: Replayed): string {
  return `revision ${revision}, published ${new Date(at).toISOString()}\n`;
}

/** A node with an id and labels only. */
function nodeOf(id: string, labels: string): ProxyNode {
  const [role = "", ip = "", name = "", dnsDomain = ""] = id.split("~");
  const dot = name.lastIndexOf(".");
  return {
    id,
    role: role as Role,
    ip,
    ips: [ip],
    name: name.slice(0, dot),
    namespace: name.slice(dot + 1),
    dnsDomain,
    cluster: "",
    locality: { region: "", zone: "", subzone: "" },
    metadata: { LABELS: Object.fromEntries(labels.split(",").map((pair) => pair.split("="))) },
    buildVersion: "",
    userAgent: "",
    transport: "sotw",
  };
}

function servedBy({ translation }: Replayed, node: ProxyNode): Served {
  const binding: ProxyBinding = translation.source.bind(node, () => {});
  const served = Object.values(TYPE_URLS).map((url) => {
    const resources = [...binding.view(url)?.entries() ?? []];
    return [url, new Map(resources.map((resource) => [resource.name, resource]))] as const;
  });
  binding.close();
  return new Map(served);
}

function showServed(served: Served, wanted: string | undefined): string {
  return [...served].flatMap(([url, resources]) =>
    [...resources.values()]
      .filter(({ name }) => wanted === undefined || name === wanted)
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map(({ name, version, bytes }) =>
        wanted === undefined
          ? `${shortOf(url)}  ${name}  ${version}\n`
          : `${JSON.stringify(showResource(url, bytes), undefined, 2)}\n`
      )
  ).join("");
}

function showDifference(before: Served, after: Served): string {
  return [...after].flatMap(([url, now]) => {
    const was = before.get(url)!;
    return [...new Set([...was.keys(), ...now.keys()])].sort().map((name) => {
      const [old, next] = [was.get(name), now.get(name)];
      if (old?.version === next?.version) return "";
      const sign = old === undefined ? "+" : next === undefined ? "-" : "~";
      const fields = old === undefined || next === undefined
        ? ""
        : renderChanges(diffResource(url, old.bytes, next.bytes), "    ");
      return `${sign} ${shortOf(url)}  ${name}\n${fields}`;
    });
  }).join("");
}

function shortOf(url: string): string {
  return Object.entries(TYPE_URLS).find(([, one]) => one === url)?.[0] ?? url;
}

/** Runs the command line. An error is printed with its remedy. */
async function main(args: readonly string[]): Promise<number> {
  const path = args.find((arg) => !arg.startsWith("--"));
  try {
    if (path === undefined) {
      throw new MeshError("replay-usage", "No recording is named.", {
        remedy: "Give the file that MESH_INPUT_LOG named.",
      });
    }
    const answer = answerReplay(await Deno.readTextFile(path), args);
    await Deno.stdout.write(new TextEncoder().encode(answer));
    return 0;
  } catch (error) {
    if (error instanceof Deno.errors.BrokenPipe) return 0;
    const remedy = error instanceof MeshError ? ` ${error.remedy ?? ""}` : "";
    console.error(`${error instanceof Error ? error.message : error}${remedy}`);
    return 1;
  }
}

if (import.meta.main) Deno.exit(await main(Deno.args));
