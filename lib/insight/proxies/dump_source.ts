/**
 * Config dumps of files, admin interfaces and daemons.
 *
 * @module
 */
import { MeshError, messageOf, printable } from "../../kit/base/mod.ts";
import { dataError, type Invocation, readInput, usageError } from "../../kit/cli/mod.ts";
import { type Dump, parseDump, type SyncRow } from "../config_dump/mod.ts";
import {
  type ClusterAccess,
  namesCluster,
  openCluster,
  type Pod,
  podId,
  podNamed,
  selectedPods,
  warnOrchestratorFlags,
  withPodPort,
} from "../cluster_access/mod.ts";
import { askJson, namesDaemon, openDaemons } from "../daemon_client/mod.ts";
import { proxyNamed } from "./proxy_name.ts";

/** Paths of the admin interface. */
export const CONFIG_DUMP = "config_dump?include_eds";
/** The path of endpoints with their state. */
export const CLUSTERS = "clusters?format=json";

/** Longest wait for an admin interface, where the command has no flag for it. */
const ADMIN_TIMEOUT_MS = 30_000;
/** Largest answer of an admin interface, bytes. */
const MAX_ANSWER = 512 * 1024 * 1024;

/** Reports if an argument is the URL of an admin interface. */
export function isUrl(text: string): boolean {
  return /^https?:\/\//.test(text);
}

/**
 * The dump that a command names: with `--file` a file, `-` or the URL of an admin interface; with
 * `--xds-address` a proxy, whose dump that daemon gives; otherwise a pod, whose admin interface is
 * asked through the API server.
 *
 * @param path the path of the admin interface that has the dump
 */
export async function dumpOf(call: Invocation, path: string = CONFIG_DUMP): Promise<Dump> {
  const { flags, args: [name] } = call;
  const file = flags.string("file");
  if (file !== "") {
    warnOrchestratorFlags(flags, call.io);
    if (name !== undefined) throw usageError("a proxy and --file exclude each other");
    return await readDump(call, file, path);
  }
  return await proxyDump(call, name, path);
}

/** The dump of a proxy that is named: by the daemon of `--xds-address`, or of its pod. */
export async function proxyDump(
  call: Invocation,
  name: string | undefined,
  path: string = CONFIG_DUMP,
): Promise<Dump> {
  if (namesDaemon(call.flags)) return await servedDump(call, name, path);
  if (name === undefined || !await namesCluster(call.flags)) throw noSource(call);
  using cluster = await openCluster(call, { timeoutMs: call.flags.number("timeout") });
  const pod = await podNamed(cluster, name);
  const text = await askAdmin(call, cluster, pod, { path });
  return parseDump(text, podId(pod));
}

/** The port of a proxy's admin interface. */
export function adminPort({ flags }: Invocation): number {
  return flags.has("proxy-admin-port") ? flags.number("proxy-admin-port") : 15_000;
}

/** Asks the admin interface of a pod's proxy. */
export async function askAdmin(
  call: Invocation,
  cluster: ClusterAccess,
  pod: Pod,
  request: Omit<AdminRequest, "base">,
): Promise<string> {
  return await withPodPort(
    cluster,
    pod,
    adminPort(call),
    (base) => admin(call, { base, ...request }),
  );
}

/** A proxy whose admin interface can be asked, and its name in outputs. */
export interface AdminTarget {
  readonly name: string;
  ask(request: Omit<AdminRequest, "base">): Promise<string>;
}

/**
 * Calls `use` with the admin interfaces that a command names: the URL of `--file`, a pod, or the pods
 * of `--selector`.
 */
export async function withAdmins(
  call: Invocation,
  use: (targets: readonly AdminTarget[]) => Promise<number>,
): Promise<number> {
  const { flags, args: [name] } = call;
  const [file, selector] = [flags.string("file"), flags.string("selector")];
  if ([file, selector, name ?? ""].filter((one) => one !== "").length > 1) {
    throw usageError("a proxy, --selector and --file exclude each other");
  }
  if (file !== "") {
    warnOrchestratorFlags(flags, call.io);
    if (!isUrl(file)) throw noAdmin(call);
    return await use([{ name: file, ask: (request) => admin(call, { base: file, ...request }) }]);
  }
  if (name === undefined && selector === "" || !await namesCluster(flags)) throw noAdmin(call);
  using cluster = await openCluster(call);
  const pods = name === undefined
    ? await selectedPods(cluster, cluster.namespace, selector)
    : [await podNamed(cluster, name)];
  return await use(pods.map((pod) => ({
    name: podId(pod),
    ask: (request) => askAdmin(call, cluster, pod, request),
  })));
}

function noAdmin({ command }: Invocation): MeshError {
  return usageError(
    `${command} needs a proxy`,
    "Name a pod, such as web-1.shop or deployment/web.shop, or select pods with --selector; or use " +
      "--file with the URL of an admin interface, such as http://localhost:15000.",
  );
}

/** The dump that the daemon gives of a proxy. */
export async function servedDump(
  call: Invocation,
  name: string | undefined,
  path: string = CONFIG_DUMP,
): Promise<Dump> {
  if (path !== CONFIG_DUMP) {
    throw new MeshError("daemon-view", "the daemon does not know the state of endpoints", {
      remedy: "Use `meshctl proxy-config eds`, or --file with the URL of the proxy's admin page.",
    });
  }
  await using daemons = await openDaemons(call);
  const [daemon] = daemons.all;
  const rows = await askJson<SyncRow[]>(call, daemon, "syncz");
  const proxy = proxyNamed(call, rows, name);
  const dump = await askJson(call, daemon, `config_dump?proxyID=${encodeURIComponent(proxy)}`);
  return parseDump(JSON.stringify(dump), daemon.name);
}

function noSource({ command }: Invocation): MeshError {
  return usageError(
    `${command} needs a proxy, or --file`,
    "Name a pod, such as web-1.shop or deployment/web.shop, with the orchestrator configured; use " +
      "--file with a config dump, - or the URL of an admin page such as http://localhost:15000; " +
      "or name a proxy with --xds-address of its daemon.",
  );
}

/** The dump of a file, of standard input (`-`), or of an admin interface (a URL). */
export async function readDump(
  call: Invocation,
  file: string,
  path: string = CONFIG_DUMP,
): Promise<Dump> {
  if (isUrl(file)) return parseDump(await admin(call, { base: file, path }), file);
  return parseDump(await readInput(file, call.io), file === "-" ? "standard input" : file);
}

/** A request to an admin interface. */
export interface AdminRequest {
  /** URL of the interface; a path of `config_dump` at its end is left out. */
  readonly base: string;
  readonly path: string;
  readonly method?: "GET" | "POST";
}

/** Asks an admin interface; the text of the answer. */
export async function admin(call: Invocation, request: AdminRequest): Promise<string> {
  const { base, path, method = "GET" } = request;
  const url = `${base.replace(/\/(config_dump.*|clusters.*)?$/, "")}/${path}`;
  const timeout = AbortSignal.timeout(ADMIN_TIMEOUT_MS);
  try {
    const signal = AbortSignal.any([call.signal, timeout]);
    const answer = await fetch(url, { method, signal, redirect: "error" });
    const text = await readBounded(answer);
    if (answer.ok) return text;
    throw new MeshError("admin-answer", `${printable(url)} answered ${answer.status}`, {
      remedy: "Give the URL of a proxy's admin interface, such as http://localhost:15000.",
    });
  } catch (cause) {
    if (cause instanceof MeshError) throw cause;
    const reason = timeout.aborted
      ? `no answer within ${ADMIN_TIMEOUT_MS / 1000} seconds`
      : messageOf(cause);
    throw new MeshError("admin-unreachable", `cannot ask ${printable(url)}: ${printable(reason)}`, {
      remedy: "Check the address, and that the proxy runs.",
    });
  }
}

async function readBounded({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let [text, size] = ["", 0];
  for await (const part of body ?? []) {
    size += part.length;
    if (size > MAX_ANSWER) throw dataError("the admin interface sent more than 512 MiB");
    text += decoder.decode(part, { stream: true });
  }
  return text + decoder.decode();
}
