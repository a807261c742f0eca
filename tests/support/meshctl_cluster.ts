/**
 * A cluster for `meshctl`: a real API server, a real daemon and a real proxy, with pods that stand
 * for them, and a stand-in for the kubelet of their node.
 *
 * @module
 */
import { MESHCTL } from "../../cmd/meshctl/program.ts";
import { NO_CONFIGURED, runProgram } from "../../lib/kit/cli/mod.ts";
import {
  createObject,
  deleteObject,
  getObject,
  mergePatch,
  type OrchClient,
  type OrchObject,
  type ResourceType,
  types,
} from "../../lib/kit/orch/mod.ts";
import {
  type Agent,
  type Cluster,
  type Daemon,
  eventually,
  freePort,
  startAgent,
  startDaemon,
} from "../../scripts/harness/mod.ts";
import { applyDefinitions } from "../../scripts/crds.ts";
import { envoyPath } from "../../scripts/tools.ts";
import { writeCapturePorts } from "./capture_ports.ts";
import { adminClient } from "./cluster.ts";
import { type StandIn, type StandInExec, startKubeletStandIn } from "./kubelet_stand_in.ts";

/** Output and status of a command. */
export interface Ran {
  readonly out: string;
  readonly err: string;
  readonly status: number;
}

/** The running parts. */
export interface MeshctlCluster extends AsyncDisposable {
  readonly client: OrchClient;
  readonly daemon: Daemon;
  readonly agent: Agent;
  readonly api: StandIn;
  /** Ports of this machine by `namespace/pod:port`, for more pods. */
  readonly ports: Record<string, number>;
  /** Configuration file of the stand-in. */
  readonly config: string;
  readonly dir: string;
  /** Runs `meshctl` with this cluster as its orchestrator. */
  run(...args: string[]): Promise<Ran>;
  /** Like `run`, until the signal is aborted; `seen` gets what was written so far. */
  runUntil(
    signal: AbortSignal,
    args: readonly string[],
    seen: (text: string) => void,
  ): Promise<Ran>;
}

/** A pod to create. */
export interface TestPod {
  readonly namespace: string;
  readonly name: string;
  /** Last part of its address. */
  readonly ip: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly containers: readonly string[];
}

const PODS: readonly TestPod[] = [
  {
    namespace: "mesh-system",
    name: "meshd-1",
    ip: 7,
    labels: { app: "meshd" },
    containers: ["discovery"],
  },
  {
    namespace: "shop",
    name: "web-1",
    ip: 9,
    labels: { app: "web", version: "v1" },
    containers: ["web", "mesh-proxy"],
  },
  { namespace: "shop", name: "plain-1", ip: 8, labels: { app: "plain" }, containers: ["plain"] },
];

/** Creates an object of a core or other type. */
export function create(
  client: OrchClient,
  type: ResourceType,
  metadata: Record<string, unknown> & { readonly name: string },
  fields: Record<string, unknown> = {},
): Promise<OrchObject> {
  const apiVersion = type.group === "" ? type.version : `${type.group}/${type.version}`;
  return createObject(
    client,
    type,
    { apiVersion, kind: type.kind, metadata, ...fields } as OrchObject,
  );
}

/** Creates a pod that the stand-in says to run. */
export async function createPod(client: OrchClient, pod: TestPod): Promise<void> {
  const { namespace, name, ip, labels, containers } = pod;
  await create(client, types.POD, { namespace, name, labels }, {
    spec: {
      nodeName: "n1",
      serviceAccountName: "default",
      containers: containers.map((one) => ({ name: one, image: `registry.test/${one}:1` })),
    },
  });
  await mergePatch(client, types.POD, { namespace, name, subresource: "status" }, {
    status: {
      phase: "Running",
      podIP: `10.0.0.${ip}`,
      conditions: [{ type: "Ready", status: "True" }],
      containerStatuses: containers.map((one) => ({
        name: one,
        image: "",
        imageID: "",
        ready: true,
        restartCount: 0,
      })),
    },
  });
}

/** Removes a pod at once: no kubelet ends it. */
export async function removePod(
  client: OrchClient,
  { namespace, name }: Pick<TestPod, "namespace" | "name">,
): Promise<void> {
  await deleteObject(client, types.POD, { namespace, name }, { graceSeconds: 0 });
}

/** Starts everything and waits until the proxy is ready. */
export async function startMeshctlCluster(
  cluster: Cluster,
  prepare: (client: OrchClient) => Promise<void>,
): Promise<MeshctlCluster> {
  await using stack = new AsyncDisposableStack();
  const client = stack.use(await adminClient(cluster));
  await applyDefinitions(client);
  await create(client, types.NAMESPACE, { name: "shop" });
  for (const pod of PODS) await createPod(client, pod);
  await prepare(client);
  const dir = await Deno.makeTempDir({ prefix: "mesh-meshctl-" });
  stack.defer(() => Deno.remove(dir, { recursive: true }));
  const secured = freePort();
  const daemon = stack.use(await startClusterDaemon(cluster, dir, secured));
  await createAccount(client);
  const tap = freePort();
  const agent = stack.use(await startWebAgent(daemon, dir, tap));
  const trusting = Deno.createHttpClient({ caCerts: [await Deno.readTextFile(cluster.files.ca)] });
  stack.defer(() => trusting.close());
  const ports: Record<string, number> = {
    "mesh-system/meshd-1:15014": portOf(daemon.monitoring),
    "mesh-system/meshd-1:15010": portOf(daemon.xds),
    "mesh-system/meshd-1:15012": secured,
    "mesh-system/meshd-1:9876": portOf(daemon.introspection),
    "shop/web-1:15000": portOf(agent.admin),
    "shop/web-1:15004": tap,
  };
  const api = stack.use(startKubeletStandIn({
    server: cluster.server,
    client: trusting,
    ports,
    logs: {
      "shop/web-1/mesh-proxy": LOG,
      "mesh-system/meshd-1/discovery": "2026-01-01T00:00:00.000000Z\terror\ta fault\n",
    },
    exec: (pod, command) => execIn(agent, pod, command),
  }));
  const config = `${dir}/config`;
  await Deno.writeTextFile(config, configOf(api.url, cluster.files.adminToken));
  const owned = stack.move();
  const runUntil = (signal: AbortSignal, args: readonly string[], seen: (text: string) => void) =>
    // The words of a completion stand for themselves.
    run(args[0]?.startsWith("__") ? args : ["--orchconfig", config, ...args], signal, seen);
  return {
    client,
    daemon,
    agent,
    api,
    ports,
    config,
    dir,
    runUntil,
    run: (...args) => runUntil(new AbortController().signal, args, () => {}),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** A daemon that reads the cluster, and gives proxies free ports for captured traffic. */
async function startClusterDaemon(cluster: Cluster, dir: string, secured: number): Promise<Daemon> {
  const meshConfig = await writeCapturePorts(dir);
  return await startDaemon({
    configDir: "",
    secured,
    args: [`--orchconfig=${cluster.files.daemonKubeconfig}`, `--meshConfig=${meshConfig}`],
    env: { MESHCA_SELF_SIGNED_DIR: dir },
  });
}

/** The agent of pod `web-1`, with its debug tap. */
async function startWebAgent(daemon: Daemon, dir: string, tap: number): Promise<Agent> {
  return await startAgent({
    role: "sidecar",
    name: "web-1",
    namespace: "shop",
    ip: "127.0.0.9",
    dir,
    labels: { app: "web", version: "v1" },
    xds: daemon.xds,
    envoy: await envoyPath(),
    // The commands are compared on captured traffic.
    interception: "REDIRECT",
    env: {
      PROXY_XDS_DEBUG_VIA_AGENT: "true",
      PROXY_XDS_DEBUG_VIA_AGENT_PORT: `${tap}`,
      MESH_META_NETWORK: "n1",
    },
  });
}

/** Lines of three hours, one with a credential. */
const LOG = "2026-01-01T00:00:00.000000Z\tinfo\tstarted\nBearer abc.def.ghi\n" +
  "2026-01-01T01:00:00.000000Z\terror\tharmless\n2026-01-01T02:00:00.000000Z\tinfo\tended\n";

/** Listening sockets in `web-1`: 8080 on all addresses, 9000 on the loopback interface. */
const SOCKETS = "LISTEN 0 511 0.0.0.0:8080 0.0.0.0:*\nLISTEN 0 511 127.0.0.1:9000 0.0.0.0:*\n";

/**
 * Commands in the container of `web-1`: requests of `pilot-agent` go to its Envoy, and two other
 * programs are there.
 */
async function execIn(
  agent: Agent,
  pod: string,
  [program, ...args]: readonly string[],
): Promise<StandInExec | undefined> {
  if (pod !== "shop/web-1") return undefined;
  if (program === "iptables-save") return { stdout: "*nat\n-A PREROUTING -j MESH_INBOUND\n" };
  if (program === "ss" && args[0] === "-ltnH") return { stdout: SOCKETS };
  if (program !== "pilot-agent" || args[0] !== "request" || args[1] !== "GET") return undefined;
  const answer = await fetch(`${agent.admin}/${args[2]}`);
  const text = await answer.text();
  return answer.ok ? { stdout: text } : { stderr: text, status: 1 };
}

/** The account of tokens for the daemon. */
async function createAccount(client: OrchClient): Promise<void> {
  const namespace = "mesh-system";
  await create(client, types.SERVICE_ACCOUNT, { name: "default", namespace });
  const roots = { name: "mesh-ca-root-cert", namespace };
  await eventually("the roots of the mesh", async () => {
    return (await getObject(client, types.CONFIG_MAP, roots)).metadata.name === roots.name;
  });
}

/** A configuration file with the contexts `test`, and `away` of a server that is not there. */
function configOf(server: string, token: string): string {
  return JSON.stringify({
    "current-context": "test",
    contexts: [
      { name: "test", context: { cluster: "c", user: "admin", namespace: "shop" } },
      { name: "away", context: { cluster: "away", user: "admin" } },
    ],
    clusters: [
      { name: "c", cluster: { server } },
      { name: "away", cluster: { server: `http://127.0.0.1:${freePort()}` } },
    ],
    users: [{ name: "admin", user: { token } }],
  });
}

async function run(
  args: readonly string[],
  signal: AbortSignal,
  seen: (text: string) => void,
): Promise<Ran> {
  let [out, err] = ["", ""];
  const io = {
    out: (text: string) => {
      out += text;
      seen(out);
    },
    err: (text: string) => void (err += text),
  };
  const status = await runProgram(MESHCTL, args, { io, signal, configured: NO_CONFIGURED });
  return { out, err, status };
}

function portOf(address: string): number {
  return Number(/:(\d+)\/?$/.exec(address)?.[1]);
}
