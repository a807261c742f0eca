/**
 * Access of commands to the orchestrator's API.
 *
 * @module
 */
import { MeshError } from "../../kit/base/mod.ts";
import type { FlagValues, Invocation } from "../../kit/cli/mod.ts";
import { envText } from "../../kit/env/mod.ts";
import {
  type Access,
  accessOf,
  ALL_CREDENTIAL_OPTIONS,
  createClient,
  inClusterAccess,
  isInCluster,
  loadKubeconfig,
  type OrchClient,
  type OrchRequest,
} from "../../kit/orch/mod.ts";

/** Verbosity from which requests are logged. */
const LOG_REQUESTS = 6;
/** Verbosity from which the queries of requests are logged, too. */
const LOG_QUERIES = 8;

export interface ClusterAccess extends Disposable {
  readonly access: Access;
  readonly client: OrchClient;
  /** Namespace of names that give none. */
  readonly namespace: string;
  /** Namespace of the control plane. */
  readonly meshNamespace: string;
  /** Longest wait for an answer, in milliseconds. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/** The part of a call that selects a cluster. */
export type ClusterCall = Pick<Invocation, "flags" | "io"> & Partial<Pick<Invocation, "signal">>;

/** Options that replace flags. */
export interface ClusterOptions {
  /** Default: `--context`. */
  readonly context?: string;
  /** Longest wait for an answer, in milliseconds, if it is less than `--orchclient-timeout`. */
  readonly timeoutMs?: number;
}

/**
 * The files of the orchestrator's configuration: `--orchconfig`, `ORCHCONFIG` or `KUBECONFIG`, or the
 * default. Files that a variable lists and that do not exist are left out.
 */
export async function orchconfigFiles(flags: FlagValues): Promise<readonly string[]> {
  const given = flags.string("orchconfig");
  if (given !== "") return [given];
  const listed = (envText("ORCHCONFIG") || envText("KUBECONFIG") || "").split(":")
    .filter((path) => path !== "");
  const files = listed.length > 0 ? listed : [`${envText("HOME") ?? ""}/.kube/config`];
  const found = await Promise.all(files.map((path) => exists(path)));
  return files.filter((_, at) => found[at]);
}

/** True if the flags, the variables or the default file name a cluster, or this is a pod of one. */
export async function namesCluster(flags: FlagValues): Promise<boolean> {
  return (await orchconfigFiles(flags)).length > 0 || await isInCluster();
}

/**
 * Opens the cluster that the flags select.
 *
 * @throws {MeshError} `orch-unknown` if none is configured; `orch-config`
 */
export async function openCluster(
  call: ClusterCall,
  options: ClusterOptions = {},
): Promise<ClusterAccess> {
  const { flags } = call;
  const access = await accessFrom(flags, options.context ?? flags.string("context"));
  return clusterAccess(call, access, options.timeoutMs);
}

/** Opens a cluster by other means than the flags; its time limits and its log are those of the flags. */
export function clusterAccess(
  { flags, io, signal }: ClusterCall,
  access: Access,
  limitMs: number = Infinity,
): ClusterAccess {
  const client = createClient(access);
  const timeoutMs = Math.min(flags.number("orchclient-timeout"), limitMs);
  return {
    access,
    timeoutMs,
    client: limited(client, {
      timeoutMs,
      signal,
      log: requestLog(flags.number("vklog"), (line) => io.err(line)),
    }),
    namespace: access.namespace,
    meshNamespace: flags.string("meshNamespace"),
    signal,
    [Symbol.dispose]: () => client[Symbol.dispose](),
  };
}

async function accessFrom(flags: FlagValues, context: string): Promise<Access> {
  const files = await orchconfigFiles(flags);
  const [as, asUid] = [flags.string("as"), flags.string("as-uid")];
  const asGroups = flags.list("as-group");
  if (files.length === 0) {
    if (!await isInCluster()) throw noCluster();
    const access = await inClusterAccess();
    const impersonate = as === ""
      ? {}
      : { impersonate: { user: as, groups: asGroups, uid: asUid } };
    return { ...access, ...impersonate, namespace: flags.string("namespace") || access.namespace };
  }
  const namespace = flags.string("namespace");
  const allowed = ALL_CREDENTIAL_OPTIONS;
  return accessOf(await loadKubeconfig(files), {
    ...{ context, namespace, as, asGroups, asUid, allowed },
  });
}

function noCluster(): MeshError {
  return new MeshError("orch-unknown", "no orchestrator is configured", {
    remedy: "Use --orchconfig FILE, or set KUBECONFIG; the default is ~/.kube/config.",
  });
}

/** Writes a line about a request at a high verbosity. */
type RequestLog = (request: OrchRequest) => void;

function requestLog(verbosity: number, write: (line: string) => void): RequestLog {
  if (verbosity < LOG_REQUESTS) return () => {};
  return ({ method = "GET", path, query }) => {
    const search = verbosity >= LOG_QUERIES && query !== undefined
      ? ` ${JSON.stringify(query)}`
      : "";
    write(`orch: ${method} ${path}${search}\n`);
  };
}

interface RequestDefaults {
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  readonly log: RequestLog;
}

/** A client whose requests have a default time limit and end with the command. */
function limited(client: OrchClient, { timeoutMs, signal, log }: RequestDefaults): OrchClient {
  const withDefaults = (request: OrchRequest): OrchRequest => {
    log(request);
    return {
      timeoutMs,
      ...signal === undefined ? {} : { signal },
      ...request,
    };
  };
  return {
    access: client.access,
    followed: client.followed,
    text: (request) => client.text(withDefaults(request)),
    json: (request) => client.json(withDefaults(request)),
    stream: (request) => client.stream(withDefaults(request)),
    renew: () => client.renew(),
    [Symbol.dispose]: () => client[Symbol.dispose](),
  };
}

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}
