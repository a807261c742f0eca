/**
 * The sub-commands of `ztunnel-config`: dumps and log levels of the node proxy.
 *
 * @module
 */
import {
  dataError,
  type Invocation,
  neutralText,
  readInput,
  usageError,
} from "../../kit/cli/mod.ts";
import {
  certificateTable,
  connectionTable,
  inNamespace,
  namesIn,
  type NodeDump,
  parseNodeDump,
  policyTable,
  serviceTable,
  statesOf,
  workloadsOf,
  workloadTable,
} from "../config_dump/mod.ts";
import {
  type ClusterAccess,
  namesCluster,
  openCluster,
  type Pod,
  podId,
  podNamed,
  selectedPods,
  warnOrchestratorFlags,
} from "../cluster_access/mod.ts";
import { admin, askAdmin, isUrl } from "./dump_source.ts";
import { print } from "./output.ts";

/** Labels of the pods of the node proxy. */
const SELECTOR = "app=ztunnel";
const DUMP = "config_dump";

/** The text of a flag that the sub-command may not have. */
function given({ flags }: Invocation, name: string): string {
  return flags.has(name) ? flags.string(name) : "";
}

type Part = (call: Invocation, dump: NodeDump) => void;

const form = ({ flags }: Invocation): string => flags.string("output");

const PARTS: Readonly<Record<string, Part>> = {
  workload: (call, dump) => {
    const found = workloadsOf(dump, {
      namespace: given(call, "workload-namespace"),
      node: given(call, "workload-node"),
      address: given(call, "address"),
    });
    print(call.io, form(call), found, () => workloadTable(dump, found));
  },
  service: (call, dump) => {
    const found = inNamespace(dump.services, given(call, "service-namespace"));
    print(call.io, form(call), found, () => serviceTable(dump, found));
  },
  policy: (call, dump) => {
    const found = inNamespace(dump.policies, given(call, "policy-namespace"));
    print(call.io, form(call), found, () => policyTable(found));
  },
  certificate: (call, dump) => {
    const { certificates } = dump;
    print(call.io, form(call), certificates, () => certificateTable(certificates, isValid));
  },
  connections: (call, dump) => {
    const found = statesOf(dump, {
      workload: given(call, "workload"),
      namespace: given(call, "workload-namespace"),
      node: given(call, "workload-node"),
      direction: given(call, "direction"),
    });
    const isRaw = call.flags.has("raw") && call.flags.bool("raw");
    print(
      call.io,
      form(call),
      found,
      () => connectionTable(found, isRaw ? undefined : namesIn(dump)),
    );
  },
};

function isValid(begin: string, end: string): boolean {
  const now = Date.now();
  return Date.parse(begin) <= now && now < Date.parse(end);
}

/** Prints one part of a dump. */
export async function showNodePart(call: Invocation, part: string): Promise<number> {
  PARTS[part]?.(call, await nodeDump(call));
  return 0;
}

/** Prints all parts, or with another form than the short one the whole dump. */
export async function showNode(call: Invocation): Promise<number> {
  const dump = await nodeDump(call);
  if (form(call) !== "short") {
    print(call.io, form(call), dump.value, () => ({ head: [], rows: [] }));
    return 0;
  }
  for (const [at, part] of Object.values(PARTS).entries()) {
    if (at > 0) call.io.out("\n");
    part(call, dump);
  }
  return 0;
}

/** The dump of a file, an admin interface, or a pod of the node proxy. */
async function nodeDump(call: Invocation): Promise<NodeDump> {
  const { flags, args: [name] } = call;
  const file = flags.string("file");
  if (file === "") {
    return await withNodeProxy(
      call,
      async (cluster, pod) =>
        parseNodeDump(await askAdmin(call, cluster, pod, { path: DUMP }), podId(pod)),
    );
  }
  warnOrchestratorFlags(flags, call.io);
  if (name !== undefined) throw usageError("a node proxy and --file exclude each other");
  if (isUrl(file)) return parseNodeDump(await admin(call, { base: file, path: DUMP }), file);
  const text = await readInput(file, call.io);
  return parseNodeDump(text, file === "-" ? "standard input" : file);
}

/** Calls `use` with the pod that a command names, or the node proxy of `--node`. */
async function withNodeProxy<T>(
  call: Invocation,
  use: (cluster: ClusterAccess, pod: Pod) => Promise<T>,
): Promise<T> {
  const { flags, args: [name], command } = call;
  const node = flags.string("node");
  if (!await namesCluster(flags)) {
    throw usageError(
      `${command} needs a node proxy, or --file`,
      "Name its pod, such as ztunnel-abcde.mesh-system, or its node with --node; or use --file with a " +
        "dump, - or the URL of its admin interface, such as http://localhost:15000.",
    );
  }
  using cluster = await openCluster(call);
  if (name !== undefined) return await use(cluster, await podNamed(cluster, name));
  const namespace = flags.has("mesh-namespace") ? flags.string("mesh-namespace") : "mesh-system";
  const pods = await selectedPods(cluster, namespace, SELECTOR);
  const found = node === "" ? pods[0] : pods.find(({ spec }) => spec?.nodeName === node);
  if (found === undefined) {
    throw dataError(
      node === "" ? `namespace ${namespace} has no node proxy` : `node ${node} has no node proxy`,
      `Node proxies are the pods with the labels ${SELECTOR}.`,
    );
  }
  return await use(cluster, found);
}

/** Prints or changes the log levels of a node proxy. */
export async function nodeLog(call: Invocation): Promise<number> {
  const { flags, io } = call;
  const [level, reset] = [flags.string("level"), flags.bool("reset")];
  if (level !== "" && reset) throw usageError("--level and --reset exclude each other");
  const query = reset
    ? "?reset"
    : level === ""
    ? ""
    : `?level=${encodeURIComponent(levels(level))}`;
  const request = { path: `logging${query}`, method: "POST" } as const;
  const file = flags.string("file");
  const text = file === ""
    ? await withNodeProxy(call, (cluster, pod) => askAdmin(call, cluster, pod, request))
    : await admin(call, { base: urlOf(file), ...request });
  io.out(neutralText(text.endsWith("\n") ? text : `${text}\n`));
  return 0;
}

function urlOf(file: string): string {
  if (isUrl(file)) return file;
  throw usageError("log levels need the URL of an admin interface in --file, not a file");
}

const LEVELS = ["off", "error", "warn", "info", "debug", "trace"];

/** Levels as the node proxy reads them: `scope=level`, or a level alone. */
function levels(text: string): string {
  return text.split(",").map((part) => {
    const at = part.lastIndexOf(":");
    const [scope, given] = [part.slice(0, Math.max(at, 0)), part.slice(at + 1).trim()];
    const level = given === "warning" ? "warn" : given === "none" ? "off" : given;
    if (!LEVELS.includes(level)) {
      throw usageError(
        `level "${given}" is not known`,
        `Use one of ${LEVELS.join(", ")}, for example: --level info or --level access:debug.`,
      );
    }
    return scope === "" ? level : `${scope.trim()}=${level}`;
  }).join(",");
}
