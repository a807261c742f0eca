import { MeshError } from "../../kit/base/mod.ts";
import { EXIT_FINDINGS, type Invocation, neutralText } from "../../kit/cli/mod.ts";
import type { ProxyNode } from "../../mesh/model/mod.ts";
import type { DifferenceGroup, ServedProxy, ServedVersions } from "../offline/mod.ts";
import type { MeshConfig } from "#mesh/mesh/v1alpha1/config_pb.ts";
import { type ReadPage, withDebugPages } from "../daemon_client/mod.ts";
import { readNamedMesh } from "./offline_files.ts";

/**
 * Compares the translation of files, or of the live cluster, with the resources that the daemons
 * serve. With `--fail`, the status is 79 for a difference.
 */
export async function compareServed(call: Invocation): Promise<number> {
  const { flags, io } = call;
  const { compared, groups } = await servedChanges(call);
  if (flags.string("output") === "json") {
    io.out(`${JSON.stringify({ compared, groups }, null, 2)}\n`);
  } else {
    const lines = groups.flatMap(({ proxies, differences }) => [
      `${proxies.join(", ")}:`,
      ...differences.map(({ typeUrl, name, change }) =>
        `  ${typeUrl.slice(typeUrl.lastIndexOf(".") + 1)} ${name} ${change}`
      ),
    ]);
    const different = groups.reduce((sum, { proxies }) => sum + proxies.length, 0);
    lines.push(`${different} of ${compared} proxies would be served something else`);
    io.out(neutralText(`${lines.join("\n")}\n`));
  }
  return flags.bool("fail") && groups.length > 0 ? EXIT_FINDINGS : 0;
}

/** The number of connected proxies, and those that this program would serve something else. */
export async function servedChanges(
  call: Invocation,
): Promise<{ readonly compared: number; readonly groups: readonly DifferenceGroup[] }> {
  const { OfflineMesh, servedDifferences } = await import("../offline/mod.ts");
  const { manifests, mesh: own, networks, ...content } = await readNamedMesh(call);
  // A daemon over a configuration directory reads no Services and workloads in it.
  const objects = manifests?.objects ?? content.objects;
  const { proxies, mesh } = await withDebugPages(call, async ({ read, each }) => ({
    mesh: OfflineMesh.of({ objects, mesh: own ?? await meshConfigOf(read), networks }).mesh,
    proxies: (await Promise.all(each.map(servedProxies))).flat(),
  }));
  return { compared: proxies.length, groups: servedDifferences(mesh, proxies) };
}

/** The mesh configuration of the daemon. */
async function meshConfigOf(read: ReadPage): Promise<MeshConfig> {
  const { parseMeshConfig } = await import("../../mesh/schema/mod.ts");
  const { value, problems } = parseMeshConfig(await read("mesh"), "/debug/mesh");
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

async function servedProxies(read: ReadPage): Promise<ServedProxy[]> {
  const { clients } = JSON.parse(await read("adsz")) as {
    readonly clients: readonly Client[];
  };
  const proxies: ServedProxy[] = [];
  for (const { node, metadata, locality } of clients) {
    const text = await read("history", [
      ["proxyID", `${node.name}.${node.namespace}`],
      ["revision", "latest"],
    ]);
    const { resources } = JSON.parse(text) as { readonly resources: ServedVersions };
    proxies.push({ node: { ...node, metadata, locality }, resources });
  }
  return proxies;
}
