/**
 * The daemons that a command asks: by address, or the pods of a cluster.
 *
 * @module
 */
import { MeshError, printable } from "../../kit/base/mod.ts";
import { type FlagValues, type Invocation, usageError } from "../../kit/cli/mod.ts";
import { askDaemon } from "./ask.ts";
import type { DaemonAnswer, DaemonEndpoint } from "./types.ts";
import {
  type ClusterAccess,
  namesCluster,
  openCluster,
  type Pod,
  warnOrchestratorFlags,
} from "../cluster_access/mod.ts";
import {
  clusterCredentials,
  daemonPods,
  pagesEndpoint,
  revisionOf,
  wantsXds,
  xdsEndpoint,
} from "./daemons.ts";

/** Authorities of the system, for daemons with public certificates. */
const SYSTEM_ROOTS = "/etc/ssl/certs/ca-certificates.crt";

export interface Daemon {
  /** Its name in tables: the pod, or the address. */
  readonly name: string;
  /** Its revision; `undefined` for a daemon that is named by its address. */
  readonly revision?: string;
  readonly endpoint: DaemonEndpoint;
  /** Opens another endpoint of the daemon, for when the first one cannot be reached. */
  readonly fallback?: () => Promise<DaemonEndpoint>;
}

/** The daemons of a command. Disposing closes the connections to them. */
export interface Daemons extends AsyncDisposable {
  readonly all: readonly [Daemon, ...Daemon[]];
  /** The cluster of the daemons; `undefined` for a daemon that is named by its address. */
  readonly cluster?: ClusterAccess;
}

/** Reports if the command line or the settings name a daemon by its address. */
export function namesDaemon(flags: FlagValues): boolean {
  return flags.string("xds-address") !== "" || pagesAddress(flags) !== "";
}

/** `--daemon` of the commands that have it: the address of the debug pages. */
function pagesAddress(flags: FlagValues): string {
  return flags.has("daemon") ? flags.string("daemon") : "";
}

type ConnectCall = Pick<Invocation, "flags" | "io"> & Partial<Pick<Invocation, "signal">>;

/**
 * The daemon that `--xds-address` names, or the running pods of the daemon in the cluster.
 *
 * @param apiTimeoutMs a limit for answers of the API server below those of the flags
 * @throws {MeshError} `daemon-unknown` without an address and a cluster, or without pods
 */
export async function openDaemons(
  call: ConnectCall,
  { apiTimeoutMs = Infinity }: { readonly apiTimeoutMs?: number } = {},
): Promise<Daemons> {
  const { flags } = call;
  if (namesDaemon(flags)) {
    const all = await daemonsAtAddress(call);
    return { all, [Symbol.asyncDispose]: () => Promise.resolve() };
  }
  if (!await namesCluster(flags)) throw nowhere();
  const stack = new AsyncDisposableStack();
  try {
    const timeoutMs = Math.min(flags.number("timeout"), apiTimeoutMs);
    const cluster = stack.use(await openCluster(call, { timeoutMs }));
    const pods = await daemonPods(cluster, {
      label: flags.string("xds-label"),
      revision: flags.has("revision") ? flags.string("revision") : "",
    });
    const all: Daemon[] = [];
    for (const pod of pods) all.push(await daemonInPod(cluster, pod, flags, stack));
    const [first, ...others] = all;
    if (first === undefined) throw nowhere();
    return { all: [first, ...others], cluster, [Symbol.asyncDispose]: () => stack.disposeAsync() };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

function nowhere(): MeshError {
  return new MeshError("daemon-unknown", "no daemon is named, and no orchestrator is configured", {
    remedy: "Use --xds-address HOST:PORT (with --plaintext for a port without TLS), " +
      "--xds-address http://HOST:PORT for its debug pages, or --orchconfig FILE.",
  });
}

async function daemonInPod(
  cluster: ClusterAccess,
  pod: Pod,
  flags: FlagValues,
  stack: AsyncDisposableStack,
): Promise<Daemon> {
  const named = { name: pod.metadata.name, revision: revisionOf(pod) };
  if (wantsXds(flags)) {
    return { ...named, endpoint: await xdsEndpoint(cluster, pod, flags, stack) };
  }
  return {
    ...named,
    endpoint: await pagesEndpoint(cluster, pod, stack),
    fallback: () => xdsEndpoint(cluster, pod, flags, stack),
  };
}

async function daemonsAtAddress(call: ConnectCall): Promise<readonly [Daemon, ...Daemon[]]> {
  const { flags, io } = call;
  const pages = pagesAddress(flags);
  if (pages === "") return [await daemonOverXds(call)];
  if (flags.given.has("xds-address")) {
    throw usageError("--daemon and --xds-address exclude each other");
  }
  warnOrchestratorFlags(flags, io);
  const all = pages.split(",").map((one) => one.trim()).filter((one) => one !== "").map((name) => ({
    name,
    endpoint: { address: /^https?:/.test(name) ? name : `http://${name}` },
  }));
  const [first, ...others] = all;
  if (first === undefined) {
    throw usageError("--daemon names no address", "Give --daemon HOST:PORT.");
  }
  return [first, ...others];
}

async function daemonOverXds(call: ConnectCall): Promise<Daemon> {
  const { flags, io } = call;
  const given = flags.string("xds-address");
  if (/^https?:/.test(given)) {
    warnOrchestratorFlags(flags, io);
    return { name: given, endpoint: { address: given } };
  }
  const address = /^unix:|:\d+$/.test(given) ? given : `${given}:${flags.number("xds-port")}`;
  return { name: address, endpoint: await endpointOf(call, address) };
}

/** The endpoint at an address, with the credentials that the flags name. */
async function endpointOf(call: ConnectCall, address: string): Promise<DaemonEndpoint> {
  const { flags, io } = call;
  const dir = flags.string("cert-dir");
  const [authority, insecure] = [flags.string("authority"), flags.bool("insecure")];
  if (flags.bool("plaintext")) {
    warnOrchestratorFlags(flags, io);
    const useless = [
      dir === "" ? "" : "--cert-dir",
      authority === "" ? "" : "--authority",
      insecure ? "--insecure" : "",
    ].filter((name) => name !== "");
    if (useless.length === 0) return { address };
    throw new MeshError("flags-contradict", `--plaintext excludes ${useless.join(" and ")}`, {
      remedy: "Leave out one of them.",
    });
  }
  const checks = { insecure, ...authority !== "" && { serverName: authority } };
  if (dir !== "") {
    warnOrchestratorFlags(flags, io);
    const { readClientCertificates } = await import("./certificates.ts");
    const { tls, namespace } = await readClientCertificates(dir);
    return { address, tls: { ...tls, ...checks }, namespace };
  }
  if (flags.string("orchconfig") !== "" || flags.string("context") !== "") {
    using cluster = await openCluster(call, { timeoutMs: flags.number("timeout") });
    return { address, ...await clusterCredentials(cluster, checks) };
  }
  warnOrchestratorFlags(flags, io);
  return { address, tls: { ca: await systemRoots(), ...checks } };
}

async function systemRoots(): Promise<string> {
  try {
    return await Deno.readTextFile(SYSTEM_ROOTS);
  } catch {
    return "";
  }
}

/** Asks a daemon a debug query and parses the answer. */
export async function askJson<T>(call: Invocation, daemon: Daemon, query: string): Promise<T> {
  const { text } = await ask(call, daemon, query);
  try {
    return JSON.parse(text) as T;
  } catch (cause) {
    const name = printable(daemon.name);
    throw new MeshError("daemon-answer", `${name} answered ${printable(query)} without JSON`, {
      remedy: "Check that the address is that of a daemon of the same version.",
      cause,
    });
  }
}

/** Asks a daemon a debug query: over its pages, and over xDS where they cannot be reached. */
export async function ask(call: Invocation, daemon: Daemon, query: string): Promise<DaemonAnswer> {
  const question = { query, timeoutMs: call.flags.number("timeout"), signal: call.signal };
  try {
    return await askDaemon(daemon.endpoint, question);
  } catch (error) {
    const isAway = error instanceof MeshError && error.code === "daemon-unreachable";
    if (!isAway || daemon.fallback === undefined || call.signal.aborted) throw error;
    try {
      return await askDaemon(await daemon.fallback(), question);
    } catch (second) {
      throw new MeshError(
        "daemon-unreachable",
        printable(`cannot ask ${daemon.name}, neither its debug pages nor over xDS`),
        { remedy: "Check the pod, or name the daemon with --xds-address.", cause: second },
      );
    }
  }
}
