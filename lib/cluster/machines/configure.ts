/**
 * Writes the files with which a machine joins the mesh, with what the cluster knows.
 *
 * @module
 */
import { MeshError, printable } from "../../kit/base/mod.ts";
import { type Invocation, readInput, usageError } from "../../kit/cli/mod.ts";
import {
  getObject,
  isNotFound,
  type OrchClient,
  type OrchObject,
  requestToken,
  types,
} from "../../kit/orch/mod.ts";
import { isIp } from "../../kit/text/mod.ts";
import { defaultMeshConfig, parseMeshConfig } from "../../mesh/schema/mod.ts";
import { type Bundle, bundleOf } from "./bundle.ts";
import {
  checkedGroup,
  GROUP,
  groupIn,
  type MachineGroup,
  machineGroup,
  mapOf,
  type Plain,
  yamlMap,
} from "./group.ts";

/** The cluster that the machine joins. */
export interface MachineCluster extends Disposable {
  readonly client: OrchClient;
  /** Namespace of the control plane. */
  readonly meshNamespace: string;
}

/** Audience of the tokens with which workloads ask for certificates. */
const AUDIENCE = "mesh-ca";
/** The shortest lifetime of a token that API servers give, in seconds. */
const SHORTEST_TOKEN = 600;
/** The id of a cluster to which nobody gave a name. */
const DEFAULT_CLUSTER = "Orchestrator";
const ROOTS = { name: "mesh-ca-root-cert", key: "root-cert.pem" } as const;

/** Makes the files for a WorkloadGroup, of a file or of the cluster. */
export async function configureMachine(
  call: Invocation,
  open: () => Promise<MachineCluster>,
): Promise<number> {
  const { flags, io } = call;
  checkFlags(call);
  const file = flags.string("file");
  const local = file === "" ? undefined : groupIn(await readInput(file, io), file);
  using cluster = await open();
  const place = { name: flags.string("name"), namespace: flags.string("namespace") };
  const from = file || `WorkloadGroup ${place.namespace}/${place.name}`;
  const value = local ?? await groupOf(cluster, place);
  const warn = (text: string) => io.err(printable(`Warning: ${text}`) + "\n");
  const namespaced = place.namespace === "" ? undefined : place.namespace;
  checkedGroup(value, from, namespaced).warnings.forEach(warn);
  const group = machineGroup(value, from, place.namespace);
  if (group.namespace === "") {
    throw usageError(`${from}: the WorkloadGroup has no namespace`, "Give --namespace.");
  }
  const bundle = await bundleFor(call, { cluster, group, warn });
  const dir = flags.string("output") || ".";
  await write(dir, bundle);
  io.err(
    printable(
      `Warning: ${dir}/mesh-token is a token of ${group.namespace}/${group.serviceAccount}: ` +
        "whoever has it can be this workload",
    ) + "\n",
  );
  io.out(printable(`The files for the machine are in ${dir}.`) + "\n");
  return 0;
}

function checkFlags({ command, flags }: Invocation): void {
  const isNamed = flags.string("name") !== "";
  const example =
    `For example: ${command} -f group.yaml -o DIR, or ${command} --name tills -n shop -o DIR.`;
  if (flags.string("file") === "") {
    if (!isNamed || flags.string("namespace") === "") {
      throw usageError("expecting a WorkloadGroup file, or --name and --namespace", example);
    }
  } else if (isNamed) {
    throw usageError("--file and --name cannot be given together", example);
  }
  for (const name of ["internalIP", "externalIP", "ingressIP"]) {
    const text = flags.string(name);
    if (text === "" || isIp(text)) continue;
    throw usageError(`--${name}: ${JSON.stringify(text)} is no IP address`, "Write an address.");
  }
  if (flags.number("tokenDuration") < SHORTEST_TOKEN) {
    throw usageError(
      `--tokenDuration: ${flags.number("tokenDuration")} seconds are too short`,
      `API servers issue tokens for at least ${SHORTEST_TOKEN} seconds.`,
    );
  }
}

async function groupOf(
  { client }: MachineCluster,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<Plain> {
  const remedy = "Create it, or name another one; `meshctl experimental workload group create` " +
    "prints one.";
  return await found(
    getObject<OrchObject & Plain>(client, GROUP, { namespace, name }),
    `there is no WorkloadGroup ${name} in namespace ${namespace}`,
    remedy,
  );
}

/** An object that must exist. */
async function found<T>(reading: Promise<T>, missing: string, remedy: string): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw new MeshError("machine-input", printable(missing), { remedy });
  }
}

interface ConfigMap extends OrchObject {
  readonly data?: Readonly<Record<string, string>>;
}

/** Parts of a call that the files are made from. */
interface Parts {
  readonly cluster: MachineCluster;
  readonly group: MachineGroup;
  readonly warn: (text: string) => void;
}

async function bundleFor({ flags }: Invocation, parts: Parts): Promise<Bundle> {
  const { cluster, group, warn } = parts;
  const revision = flags.string("revision");
  const suffix = revision === "" || revision === "default" ? "" : `-${revision}`;
  const clusterId = flags.string("clusterID") || await clusterIdOf(cluster, suffix);
  const ingress = flags.string("ingressIP") ||
    await ingressOf(cluster, flags.string("ingressService"), warn);
  return bundleOf({
    group,
    mesh: await meshOf(cluster, `mesh${suffix}`),
    clusterId,
    address: flags.string("internalIP") || flags.string("externalIP"),
    ingress,
    revision,
    meshNamespace: cluster.meshNamespace,
    autoRegister: flags.bool("autoregister"),
    captureDns: flags.bool("capture-dns"),
    token: await tokenOf(cluster, group, flags.number("tokenDuration")),
    root: await rootOf(cluster, group.namespace),
  });
}

async function meshOf({ client, meshNamespace }: MachineCluster, name: string): Promise<Plain> {
  const { data = {} } = await found(
    getObject<ConfigMap>(client, types.CONFIG_MAP, { namespace: meshNamespace, name }),
    `there is no ConfigMap ${name} with the mesh configuration in namespace ${meshNamespace}`,
    "Check --revision and --meshNamespace.",
  );
  const from = `the key mesh of the ConfigMap ${meshNamespace}/${name}`;
  const text = data.mesh ?? "";
  const { problems: [first] } = parseMeshConfig(text, from, defaultMeshConfig());
  if (first === undefined) return yamlMap(text, from);
  throw new MeshError("mesh-config", `${from}: ${first.path}: ${first.message}`, {
    remedy: first.remedy,
  });
}

/** The name of the cluster in the values of injection. */
async function clusterIdOf(
  { client, meshNamespace: namespace }: MachineCluster,
  suffix: string,
): Promise<string> {
  const name = `mesh-sidecar-injector${suffix}`;
  const { data = {} } = await found(
    getObject<ConfigMap>(client, types.CONFIG_MAP, { namespace, name }),
    "failed to automatically determine the --clusterID: there is no ConfigMap " +
      `${name} in namespace ${namespace}`,
    "Give --clusterID, or another --revision or --meshNamespace.",
  );
  const values = yamlMap(data.values ?? "", `the key values of the ConfigMap ${namespace}/${name}`);
  const id = mapOf(mapOf(values.global).multiCluster).clusterName;
  return typeof id === "string" && id !== "" ? id : DEFAULT_CLUSTER;
}

interface GatewayService extends OrchObject {
  readonly status?: {
    readonly loadBalancer?: {
      readonly ingress?: readonly { readonly ip?: string; readonly hostname?: string }[];
    };
  };
}

/** Address of the gateway's load balancer; empty with a warning if it has none. */
async function ingressOf(
  { client, meshNamespace }: MachineCluster,
  service: string,
  warn: (text: string) => void,
): Promise<string> {
  const dot = service.indexOf(".");
  const name = dot < 0 ? service : service.slice(0, dot);
  const namespace = dot < 0 ? meshNamespace : service.slice(dot + 1);
  const missing = (reason: string) => {
    warn(
      `the file hosts is empty, because ${reason}. ` +
        "Give --ingressIP, or let the machine's names lead to the daemon",
    );
    return "";
  };
  try {
    const { status } = await getObject<GatewayService>(client, types.SERVICE, { namespace, name });
    const entries = status?.loadBalancer?.ingress ?? [];
    const address = entries.find(({ ip }) => ip !== undefined)?.ip;
    if (address !== undefined) return address;
    const host = entries.find(({ hostname }) => hostname !== undefined)?.hostname;
    return missing(
      host === undefined
        ? `the Service ${namespace}/${name} has no address of a load balancer`
        : `the load balancer of the Service ${namespace}/${name} has the name ${host} and no address`,
    );
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return missing(`there is no Service ${name} in namespace ${namespace}`);
  }
}

async function tokenOf(
  { client }: MachineCluster,
  { namespace, serviceAccount: name }: MachineGroup,
  seconds: number,
): Promise<string> {
  const { token } = await found(
    requestToken(client, { namespace, name }, [AUDIENCE], seconds),
    `there is no service account ${name} in namespace ${namespace}`,
    `Create it (kubectl create serviceaccount ${name} -n ${namespace}), or correct ` +
      "template.serviceAccount of the WorkloadGroup.",
  );
  return token;
}

async function rootOf({ client }: MachineCluster, namespace: string): Promise<string> {
  const { name, key } = ROOTS;
  const { data = {} } = await found(
    getObject<ConfigMap>(client, types.CONFIG_MAP, { namespace, name }),
    `there is no ConfigMap ${name} in namespace ${namespace}`,
    "The daemon writes it to the namespaces of the mesh: check that one runs, and the namespace.",
  );
  const root = data[key];
  if (root !== undefined && root !== "") return root;
  throw new MeshError("machine-input", `the ConfigMap ${namespace}/${name} has no key ${key}`, {
    remedy: "The daemon writes it: delete the ConfigMap, and it is made again.",
  });
}

/** Writes the files; only the owner may read the token. */
async function write(dir: string, bundle: Bundle): Promise<void> {
  try {
    await Deno.mkdir(dir, { recursive: true });
    for (const [name, text] of Object.entries(bundle)) {
      const path = `${dir}/${name}`;
      const mode = name === "mesh-token" ? 0o600 : 0o644;
      await Deno.writeTextFile(path, text, { mode });
      // The mode above is for new files only.
      await Deno.chmod(path, mode);
    }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : "unknown";
    throw new MeshError("output-unwritable", printable(`${dir} cannot be written to: ${reason}`), {
      remedy: "Name a folder that can be written to with --output.",
      cause,
    });
  }
}
