import { buildInfo, MeshError, messageOf, printable } from "../../kit/base/mod.ts";
import { type Invocation, neutralText, versionCommand } from "../../kit/cli/mod.ts";
import type { SyncRow } from "../config_dump/mod.ts";
import { toYaml } from "../../kit/text/mod.ts";
import { ask, type Daemon, fromEach, openDaemons } from "../daemon_client/mod.ts";

/**
 * Longest wait for the API server if no flag gives one, in milliseconds: the version of the client
 * is known without it.
 */
const API_TIMEOUT_MS = 5_000;

/** A component of the control plane. */
interface MeshVersion {
  readonly Component: string;
  readonly Revision: string;
  readonly Info: Readonly<Record<string, string>>;
}

interface ProxyVersion {
  readonly ID: string;
  readonly MeshVersion: string;
  readonly Type: string;
}

/** Prints the versions of this program, the control plane and the proxies. */
export async function version(call: Invocation): Promise<number> {
  const { flags, io } = call;
  let remote: { mesh: MeshVersion[]; proxies: ProxyVersion[] };
  try {
    remote = await askVersions(call);
  } catch (error) {
    // The client's version is known without a control plane.
    const local = versionCommand();
    await local.run?.(call);
    const remedy = error instanceof MeshError ? error.remedy ?? "" : "";
    io.err(printable(`control plane: not asked: ${messageOf(error)}. ${remedy}`.trim()) + "\n");
    return 0;
  }
  const { mesh, proxies } = remote;
  const form = flags.string("output");
  if (form === "") {
    await versionCommand().run?.(call);
    io.out(neutralText(shortText(mesh, proxies, flags.bool("short"))));
    return 0;
  }
  const client = {
    version: buildInfo.version,
    revision: buildInfo.revision,
    golang_version: `deno${Deno.version.deno}`,
    status: buildInfo.status,
    tag: buildInfo.tag,
  };
  const all = { clientVersion: client, meshVersion: mesh, dataPlaneVersion: proxies };
  io.out(neutralText(form === "json" ? `${JSON.stringify(all, null, 2)}\n` : toYaml(all)));
  return 0;
}

async function askVersions(
  call: Invocation,
): Promise<{ mesh: MeshVersion[]; proxies: ProxyVersion[] }> {
  const isLimited = ["timeout", "orchclient-timeout"].some((name) => call.flags.given.has(name));
  const limit = isLimited ? {} : { apiTimeoutMs: API_TIMEOUT_MS };
  await using daemons = await openDaemons(call, limit);
  const found = await fromEach(call, daemons, (daemon) => versionsOf(call, daemon));
  const answers = found.map(({ answer }) => answer);
  return {
    mesh: answers.flatMap(({ mesh }) => mesh),
    proxies: answers.flatMap(({ proxies }) => proxies),
  };
}

async function versionsOf(
  call: Invocation,
  daemon: Daemon,
): Promise<{ mesh: MeshVersion[]; proxies: ProxyVersion[] }> {
  const { text, identifier } = await ask(call, daemon, "syncz");
  const rows = JSON.parse(text) as (SyncRow & { proxy_type?: string; mesh_version?: string })[];
  const proxies = rows.map(({ proxy, proxy_version, proxy_type }) => ({
    ID: proxy,
    MeshVersion: proxy_version ?? "",
    Type: proxy_type ?? "",
  }));
  const revision = daemon.revision ?? (call.flags.string("revision") || "default");
  if (identifier !== undefined) return { mesh: [componentOf(identifier, revision)], proxies };
  const version = rows[0]?.mesh_version ?? await pageVersion(call, daemon);
  if (version === undefined) return { mesh: [], proxies };
  return { mesh: [{ Component: "meshd", Revision: revision, Info: { version } }], proxies };
}

/** The version of a daemon without proxies, which the page next to the debug pages has. */
async function pageVersion(
  { flags, signal }: Invocation,
  { endpoint }: Daemon,
): Promise<string | undefined> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(flags.number("timeout"))]);
  try {
    const answer = await fetch(`${new URL(endpoint.address).origin}/version`, { signal: limit });
    const text = (await answer.text()).trim();
    if (!answer.ok) return undefined;
    // VERSION-REVISION-STATUS
    return text.split("-").slice(0, -2).join("-").slice(0, 100) || undefined;
  } catch {
    return undefined;
  }
}

function componentOf(identifier: string, revision: string): MeshVersion {
  const { Component = "meshd", Info = {} } = JSON.parse(identifier) as Partial<MeshVersion>;
  return { Component, Revision: revision, Info };
}

function shortText(
  mesh: readonly MeshVersion[],
  proxies: readonly ProxyVersion[],
  short: boolean,
): string {
  if (!short) {
    return mesh.map(({ Component, Info }) => `${Component} version: ${JSON.stringify(Info)}\n`)
      .join("") + proxiesText(proxies);
  }
  const versions = new Set(mesh.map(({ Info }) => Info.version ?? "unknown"));
  const [only] = versions;
  const plane = versions.size === 1
    ? `control plane version: ${only}\n`
    : mesh.map(({ Component, Info }) => `${Component} version: ${Info.version}\n`).join("");
  return plane + proxiesText(proxies);
}

function proxiesText(proxies: readonly ProxyVersion[]): string {
  const counts = new Map<string, number>();
  for (const { MeshVersion } of proxies) {
    counts.set(MeshVersion, (counts.get(MeshVersion) ?? 0) + 1);
  }
  if (counts.size === 0) return "data plane version: none\n";
  const list = [...counts].sort(([a], [b]) => a < b ? -1 : 1)
    .map(([version, count]) => `${version} (${count} ${count === 1 ? "proxy" : "proxies"})`);
  return `data plane version: ${list.join(", ")}\n`;
}
