import { MeshError } from "../../lib/base/mod.ts";
import { EXIT_FINDINGS, type Io, neutralText } from "../../lib/cli/mod.ts";
import type { ProxyNode } from "../../lib/model/mod.ts";
import {
  OfflineMesh,
  servedDifferences,
  type ServedProxy,
  type ServedVersions,
} from "../../lib/offline/mod.ts";
import { parseMeshConfig } from "../../lib/schema/mod.ts";
import type { MeshConfig } from "#mesh/mesh/v1alpha1/config_pb.ts";
import { type DaemonPages, readPage } from "./daemon_pages.ts";
import { type MeshFiles, readMesh } from "./offline_files.ts";

/** Options of a comparison. */
export interface ServedOptions {
  readonly files: MeshFiles;
  readonly daemon: DaemonPages;
  /** True: a difference ends with status 79. */
  readonly fail: boolean;
  readonly output: string;
}

/** Compares the translation of files with the resources that a daemon serves. */
export async function compareServed(options: ServedOptions, io: Io): Promise<number> {
  const { objects, mesh: own } = await readMesh(options.files, io);
  const mesh = OfflineMesh.of({ objects, mesh: own ?? await meshConfigOf(options.daemon) }).mesh;
  const proxies = await servedProxies(options.daemon);
  const groups = servedDifferences(mesh, proxies);
  if (options.output === "json") {
    io.out(`${JSON.stringify({ compared: proxies.length, groups }, null, 2)}\n`);
  } else {
    const lines = groups.flatMap(({ proxies, differences }) => [
      `${proxies.join(", ")}:`,
      ...differences.map(({ typeUrl, name, change }) =>
        `  ${typeUrl.slice(typeUrl.lastIndexOf(".") + 1)} ${name} ${change}`
      ),
    ]);
    const different = groups.reduce((sum, { proxies }) => sum + proxies.length, 0);
    lines.push(`${different} of ${proxies.length} proxies would be served something else`);
    io.out(neutralText(`${lines.join("\n")}\n`));
  }
  return options.fail && groups.length > 0 ? EXIT_FINDINGS : 0;
}

/** The mesh configuration of the daemon. */
async function meshConfigOf(daemon: DaemonPages): Promise<MeshConfig> {
  const { value, problems } = parseMeshConfig(await readPage(daemon, "mesh"), "/debug/mesh");
  if (value !== undefined) return value;
  throw new MeshError("mesh-config", `the daemon's mesh configuration: ${problems[0]?.message}`, {
    remedy: "Give it by --meshConfigFile.",
  });
}

/** A client as `/debug/adsz` has it. */
interface Client {
  readonly metadata: ProxyNode["metadata"];
  readonly locality: ProxyNode["locality"];
  readonly node: Omit<ProxyNode, "locality" | "metadata">;
}

async function servedProxies(daemon: DaemonPages): Promise<ServedProxy[]> {
  const { clients } = JSON.parse(await readPage(daemon, "adsz")) as {
    readonly clients: readonly Client[];
  };
  const proxies: ServedProxy[] = [];
  for (const { node, metadata, locality } of clients) {
    const text = await readPage(daemon, "history", [
      ["proxyID", `${node.name}.${node.namespace}`],
      ["revision", "latest"],
    ]);
    const { resources } = JSON.parse(text) as { readonly resources: ServedVersions };
    proxies.push({ node: { ...node, metadata, locality }, resources });
  }
  return proxies;
}
