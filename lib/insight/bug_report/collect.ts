/**
 * Collects the files of a report from a cluster.
 *
 * @module
 */
import { MeshError, messageOf } from "../../kit/base/mod.ts";
import { type Invocation, progressOn } from "../../kit/cli/mod.ts";
import {
  collectionPath,
  isNotFound,
  listAll,
  type ListItem,
  objectPath,
  type ResourceType,
  trimmed,
  types,
} from "../../kit/orch/mod.ts";
import { isGatewayGroup } from "../../mesh/gateway_api/mod.ts";
import { KINDS, writtenKind } from "../../mesh/schema/mod.ts";
import { toYaml } from "../../kit/text/mod.ts";
import {
  type ClusterAccess,
  firstOutput,
  hasProxy,
  NETWORK_COMMANDS,
  type Pod,
  podsOf,
  PROXY_CONTAINER,
  runInContainer,
  withPodPort,
} from "../cluster_access/mod.ts";
import { MONITORING_PORT } from "../daemon_client/mod.ts";
import { admin } from "../proxies/mod.ts";
import type { ArchivedFile } from "./archive.ts";
import { linesWithin } from "./log_range.ts";
import { fitting, type RankedLog, rankOf } from "./logs.ts";
import type { ReportOptions } from "./options.ts";
import { redacted, redactedSecret } from "./redact.ts";

/** Bytes of one log, and of one object list or page in characters. */
const MAX_LOG = 16 * 1024 * 1024;
const MAX_FILE = 64 * 1024 * 1024;
/** Characters of all logs. */
const MAX_LOGS = 256 * 1024 * 1024;

const ADMIN_PAGES = [
  ...[
    "config_dump?include_eds",
    "clusters",
    "listeners",
    "server_info",
    "stats",
    "memory",
    "certs",
  ],
];
const DEBUG_PAGES = [
  ...["syncz", "adsz", "configz", "registryz", "endpointz", "clusterz", "mesh", "push_status"]
    .map((page) => `debug/${page}`),
  "metrics",
  "version",
];
const OBJECT_TYPES: readonly ResourceType[] = [
  ...[types.NODE, types.NAMESPACE, types.SERVICE, types.POD, types.DEPLOYMENT],
  ...[
    types.ENDPOINT_SLICE,
    types.EVENT,
    types.SECRET,
    types.SERVICE_ACCOUNT,
    types.MUTATING_WEBHOOKS,
  ],
  ...KINDS.filter(({ kind }) => kind !== "Namespace").map((one): ResourceType => ({
    ...{ group: one.group, kind: writtenKind(one), plural: one.plural },
    version: one.versions[0] ?? "v1",
    namespaced: one.scope === "namespaced",
  })),
];

/** The label `app` of the daemon. */
const DAEMON = "meshd";

/** The files of a report, and what could not be collected. */
export interface Collected {
  readonly files: readonly ArchivedFile[];
  readonly faults: readonly string[];
}

/** One step: gives files or logs. */
interface Step {
  readonly name: string;
  readonly run: () => Promise<void>;
}

/** Collects until everything was asked or the time is over; a step that fails is a fault. */
export async function collect(
  call: Invocation,
  cluster: ClusterAccess,
  options: ReportOptions,
): Promise<Collected> {
  const files: ArchivedFile[] = [];
  const logs: RankedLog[] = [];
  const faults: string[] = [];
  const add = (path: string, text: string): void => {
    const isCut = text.length > MAX_FILE;
    if (isCut) faults.push(`${path}: cut off after ${MAX_FILE} characters`);
    const kept = isCut ? text.slice(0, MAX_FILE) : text;
    files.push({ path, text: options.fullSecrets ? kept : redacted(kept) });
  };
  const addLog = (path: string, text: string): void => {
    const kept = redacted(linesWithin(text, options.range));
    logs.push({ path, text: kept, rank: rankOf(kept, options) });
  };
  const selected = await selectedPods(cluster, options);
  faults.push(...missingParts(await podsOf(cluster, {}), cluster));
  const alone = oneAfterAnother();
  const steps = [
    ...objectSteps(cluster, options, add),
    ...selected.flatMap((pod) => podSteps(call, cluster, { pod, options, add, addLog, alone })),
  ];
  const isLate = await runAll(call, steps, options, faults);
  if (isLate) {
    faults.push(`not everything was collected within ${options.timeoutMs / 1000} seconds`);
  }
  const { kept, left } = fitting(logs, MAX_LOGS);
  for (const path of left) faults.push(`${path}: left out, because the logs are too large`);
  return { files: [...files, ...kept], faults };
}

/** Sentences about parts of the mesh that a cluster has no pods of. */
function missingParts(pods: readonly Pod[], { meshNamespace }: ClusterAccess): string[] {
  const isDaemon = ({ metadata: { namespace, labels } }: Pod): boolean =>
    namespace === meshNamespace && labels?.app === DAEMON;
  return [
    ...pods.some(isDaemon) ? [] : [
      `daemon: no pod in namespace ${meshNamespace} has the label app=${DAEMON}: ` +
      "its logs and state are missing (--mesh-namespace)",
    ],
    ...pods.some(hasProxy) ? [] : ["proxies: no pod has a proxy"],
  ];
}

/**
 * The pods that a report is about, for `--dry-run`: `include` chooses among those with proxies. Daemons and
 * other programs of the mesh are in it unless they are excluded.
 */
export async function selectedPods(
  cluster: ClusterAccess,
  { include, exclude, meshNamespace }: ReportOptions,
): Promise<readonly Pod[]> {
  const pods = await podsOf(cluster, {});
  return pods.filter((pod) => {
    const { name, namespace = "", labels = {}, annotations = {} } = pod.metadata;
    const found = { name, namespace, labels, annotations };
    if (exclude.some((one) => one(found, PROXY_CONTAINER))) return false;
    if (!hasProxy(pod)) return namespace === meshNamespace || isOfPlugin(pod);
    return include.length === 0 || include.some((one) => one(found, PROXY_CONTAINER));
  });
}

/** Runs steps, some at a time. Returns true if the time was over before all had run. */
async function runAll(
  { io, signal }: Invocation,
  steps: readonly Step[],
  { concurrency, timeoutMs }: ReportOptions,
  faults: string[],
): Promise<boolean> {
  using progress = progressOn(io);
  const end = performance.now() + timeoutMs;
  const queue = [...steps];
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(() => late.resolve(), timeoutMs);
  const work = async (): Promise<void> => {
    for (let step = queue.shift(); step !== undefined; step = queue.shift()) {
      if (performance.now() >= end || signal.aborted) return;
      progress.step(`collecting ${steps.length - queue.length}/${steps.length}: ${step.name}`);
      try {
        await Promise.race([step.run(), late.promise]);
      } catch (error) {
        faults.push(`${step.name}: ${messageOf(error)}`);
      }
    }
  };
  try {
    await Promise.all(Array.from({ length: concurrency }, work));
  } finally {
    clearTimeout(timer);
  }
  signal.throwIfAborted();
  return performance.now() >= end;
}

type AddFile = (path: string, text: string) => void;

function objectSteps(cluster: ClusterAccess, options: ReportOptions, add: AddFile): Step[] {
  const { client } = cluster;
  const lists = OBJECT_TYPES.map((type): Step => ({
    name: collectionPath(type),
    run: async () => {
      const items = await listAll<ListItem>(client, type).catch((error: unknown) => {
        // A cluster need not define the kinds of the Gateway API.
        if (isGatewayGroup(type.group) && isNotFound(error)) return [];
        throw error;
      });
      if (items.length === 0) return;
      const isHidden = type.kind === "Secret" && !options.fullSecrets;
      const kept = items.map(trimmed).map((one) => isHidden ? redactedSecret(one) : one);
      add(`cluster/${type.plural}.yaml`, toYaml({ kind: `${type.kind}List`, items: kept }));
    },
  }));
  return [...lists, {
    name: "/version",
    run: async () => add("cluster/version.json", await client.text({ path: "/version" })),
  }, {
    name: `ConfigMaps of ${cluster.meshNamespace}`,
    run: async () => {
      const namespace = options.meshNamespace;
      const items = await listAll<ListItem>(client, types.CONFIG_MAP, { namespace });
      add("cluster/configmaps.yaml", toYaml({ kind: "ConfigMapList", items: items.map(trimmed) }));
    },
  }];
}

interface PodParts {
  readonly pod: Pod;
  readonly options: ReportOptions;
  readonly add: AddFile;
  readonly addLog: AddFile;
  readonly alone: Alone;
}

function podSteps(call: Invocation, cluster: ClusterAccess, parts: PodParts): Step[] {
  const { pod, options, add, addLog, alone } = parts;
  const { name, namespace = "", labels } = pod.metadata;
  const isDaemon = namespace === options.meshNamespace && labels?.app === DAEMON;
  const isNetworkAgent = isOfPlugin(pod);
  const kind = isDaemon ? "meshd" : isNetworkAgent ? "cni" : "proxies";
  const folder = [kind, namespace, name].join("/");
  const containers = [...pod.spec.containers, ...pod.spec.initContainers ?? []]
    .map((one) => one.name)
    .filter((one) => kind !== "proxies" || one === PROXY_CONTAINER);
  const pages = isDaemon
    ? { port: MONITORING_PORT, paths: DEBUG_PAGES }
    : isNetworkAgent
    ? { port: MONITORING_PORT, paths: PLUGIN_PAGES }
    : hasProxy(pod)
    ? { port: 15_000, paths: ADMIN_PAGES }
    : { port: 0, paths: [] };
  const logs = containers.flatMap((container) =>
    logsOf(cluster, pod, container).map(({ suffix, read }): Step => ({
      name: `log of ${namespace}/${name}/${container}${suffix}`,
      run: async () => addLog(`${folder}/${container}${suffix}.log`, await read()),
    }))
  );
  const own = pages.paths.map((path): Step => ({
    name: `${path} of ${namespace}/${name}`,
    run: async () => {
      const page = { pod, port: pages.port, path };
      const text = await pageOf(call, cluster, page, alone);
      add(`${folder}/${path.replace(/^debug\//, "").replace(/\?.*/, "")}`, text);
    },
  }));
  return [...logs, ...own, ...networkSteps(cluster, { pod, folder, add })];
}

/** The pages of the network plugin. */
const PLUGIN_PAGES = ["metrics", "version"];

/** True for a pod of the network plugin, which may have a namespace of its own. */
function isOfPlugin({ metadata: { labels } }: Pod): boolean {
  return labels?.["k8s-app"] === "mesh-cni-node";
}

/** A page of a daemon, of the network plugin or of a proxy. */
interface PodPage {
  readonly pod: Pod;
  readonly port: number;
  readonly path: string;
}

/**
 * Reads a page of a daemon or a proxy through its port, which starts nothing in the pod. If that of a
 * proxy cannot be reached, `pilot-agent request` is run in its container, one at a time in a report:
 * each takes the processor and the memory of a runtime.
 */
async function pageOf(
  call: Invocation,
  cluster: ClusterAccess,
  { pod, port, path }: PodPage,
  alone: Alone,
): Promise<string> {
  try {
    return await withPodPort(cluster, pod, port, (base) => admin(call, { base, path }));
  } catch (cause) {
    call.signal.throwIfAborted();
    if (!hasProxy(pod)) throw cause;
    const place = { pod, container: PROXY_CONTAINER };
    const command = ["pilot-agent", "request", "GET", path];
    try {
      return await alone(() => runInContainer(cluster, place, command));
    } catch (fault) {
      call.signal.throwIfAborted();
      throw new MeshError("pod-page", `${messageOf(cause)}; ${messageOf(fault)}`, { cause: fault });
    }
  }
}

/** Runs a piece of work after all earlier ones have ended. */
type Alone = <T>(work: () => Promise<T>) => Promise<T>;

function oneAfterAnother(): Alone {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work);
    last = next.catch(() => {});
    return next;
  };
}

/** Rules of packets and sockets of a pod with a proxy. */
function networkSteps(
  cluster: ClusterAccess,
  { pod, folder, add }: { readonly pod: Pod; readonly folder: string; readonly add: AddFile },
): Step[] {
  if (!hasProxy(pod)) return [];
  const place = { pod, container: PROXY_CONTAINER };
  return NETWORK_COMMANDS.map(([file, ...commands]): Step => ({
    name: `${commands[0]?.[0]} in ${folder}`,
    run: async () => add(`${folder}/${file}`, await firstOutput(cluster, place, commands)),
  }));
}

interface LogSource {
  readonly suffix: string;
  readonly read: () => Promise<string>;
}

/** The log of a container, and of its last run if it was restarted. */
function logsOf({ client }: ClusterAccess, pod: Pod, container: string): LogSource[] {
  const path = `${objectPath(types.POD, pod.metadata)}/log`;
  const source = (suffix: string, previous: boolean): LogSource => ({
    suffix,
    read: () => client.text({ path, query: { container, limitBytes: MAX_LOG, previous } }),
  });
  const restarts = pod.status?.containerStatuses?.find(({ name }) => name === container);
  return [
    source("", false),
    ...(restarts?.restartCount ?? 0) > 0 ? [source(".previous", true)] : [],
  ];
}
