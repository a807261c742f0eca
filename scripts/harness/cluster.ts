/**
 * A test cluster on loopback: etcd, an API server and, on request, a controller manager, with free
 * ports and a folder of their own. There are no nodes: pods are only objects.
 *
 * @module
 */
import { type ClusterFiles, makeClusterFiles } from "../cluster/files.ts";
import { CLUSTER_ENV, type ClusterPrograms, clusterPrograms } from "../cluster/programs.ts";
import { join } from "../paths.ts";
import { AUDIT_FOLDER, AUDIT_POLICY } from "../rights/audit.ts";
import { eventually, freePorts } from "./ports.ts";
import { type Program, startCommand } from "./process.ts";

/** A running cluster. */
export interface Cluster extends AsyncDisposable {
  /** URL of the API server. */
  readonly server: string;
  readonly files: ClusterFiles;
  /** Path of `kubectl`. */
  readonly kubectl: string;
  readonly apiServer: RestartableProgram;
  readonly etcd: RestartableProgram;
  /** Folder with the data of etcd. */
  readonly dataDir: string;
  /** True if the API server answers that it is ready. */
  isReady(): Promise<boolean>;
  /** Waits until the API server is ready. */
  ready(): Promise<void>;
  /** Runs `kubectl` with arguments; `input` is its standard input. */
  run(args: readonly string[], input?: string): Promise<{ success: boolean; text: string }>;
  /** Deletes all data and starts again. */
  reset(): Promise<void>;
}

/** A program of the cluster. */
export interface RestartableProgram {
  readonly pid: number;
  /** Stops all its threads, and waits until none runs. */
  suspend(): Promise<void>;
  /** Goes on after {@linkcode suspend}. */
  resume(): void;
  /** Ends it by a signal, and waits for its end. */
  stop(signal?: Deno.Signal): Promise<void>;
  start(): void;
  output(): string;
}

export interface ClusterOptions {
  /** True: with a controller manager, which makes default service accounts, EndpointSlices, pods. */
  readonly controllers?: boolean;
  /** Further flags of the API server. */
  readonly flags?: readonly string[];
}

/** Time for a cold start, in milliseconds: it takes 5 s on an idle machine. */
const START_MS = 180_000;

/** Controllers that need nodes with a kubelet. */
const WITHOUT_NODES =
  "*,-node-lifecycle-controller,-node-ipam-controller,-pod-garbage-collector-controller,-taint-eviction-controller";

/** Starts a cluster and waits until it is ready. */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const programs = await clusterPrograms();
  const dir = await Deno.makeTempDir({ prefix: "mesh-cluster-" });
  const [port, ...others] = freePorts(4);
  const files = await makeClusterFiles(dir, { port: port! });
  const audit = await auditFlags(dir);
  const client = Deno.createHttpClient({ caCerts: [await Deno.readTextFile(files.ca)] });
  const flags = [...options.flags ?? [], ...audit];
  const parts = { options: { ...options, flags }, programs, dir, files, client };
  const cluster = new LocalCluster(parts, [port!, ...others]);
  try {
    await cluster.start();
  } catch (error) {
    await cluster[Symbol.asyncDispose]();
    throw error;
  }
  return cluster;
}

interface Parts {
  readonly options: ClusterOptions;
  readonly programs: ClusterPrograms;
  readonly dir: string;
  readonly files: ClusterFiles;
  /** Trusts the cluster's authority. */
  readonly client: Deno.HttpClient;
}

class LocalCluster implements Cluster {
  readonly server: string;
  readonly files: ClusterFiles;
  readonly kubectl: string;
  readonly dataDir: string;
  readonly etcd: RestartableProgram;
  readonly apiServer: RestartableProgram;
  readonly #manager: RestartableProgram;
  readonly #parts: Parts;

  constructor(parts: Parts, ports: readonly number[]) {
    const { options, programs, dir, files } = parts;
    const [port, etcdPort, peerPort, managerPort] = ports as [number, number, number, number];
    this.#parts = parts;
    this.files = files;
    this.server = `https://127.0.0.1:${port}`;
    this.kubectl = programs.kubectl;
    this.dataDir = join(dir, "etcd");
    this.etcd = restartable(programs.etcd, etcdFlags(this.dataDir, etcdPort, peerPort));
    const flags = serverFlags(files, port, etcdPort);
    const args = [...flags, ...accountFlags(options), ...options.flags ?? []];
    this.apiServer = restartable(programs["kube-apiserver"], args);
    const managerArgs = managerFlags(files, managerPort);
    this.#manager = restartable(programs["kube-controller-manager"], managerArgs);
  }

  async start(): Promise<void> {
    this.etcd.start();
    this.apiServer.start();
    await this.ready();
    if (this.#parts.options.controllers !== true) return;
    this.#manager.start();
    const ask = ["wait", "--for=create", "serviceaccount/default", "-n=default", "--timeout=10s"];
    const made = async () => (await this.run(ask)).success;
    await eventually("a default service account", made, START_MS);
  }

  async isReady(): Promise<boolean> {
    const { client } = this.#parts;
    const signal = AbortSignal.timeout(2_000);
    const answer = await fetch(`${this.server}/readyz`, { client, signal }).catch(() => undefined);
    await answer?.body?.cancel();
    return answer?.ok === true;
  }

  async ready(): Promise<void> {
    try {
      await eventually(`an API server at ${this.server}`, () => this.isReady(), START_MS);
    } catch (cause) {
      const outputs = [this.apiServer, this.etcd].map((one) => one.output().slice(-2000));
      throw new Error(outputs.join("\n"), { cause });
    }
  }

  run(args: readonly string[], input?: string): Promise<{ success: boolean; text: string }> {
    return runKubectl(this.kubectl, this.files, args, input);
  }

  async reset(): Promise<void> {
    await this.#stop();
    await Deno.remove(this.dataDir, { recursive: true });
    await this.start();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stop();
    this.#parts.client.close();
    await Deno.remove(this.#parts.dir, { recursive: true });
  }

  /** The data is not needed any more, so the programs need no time to end. */
  async #stop(): Promise<void> {
    for (const one of [this.#manager, this.apiServer, this.etcd]) await one.stop("SIGKILL");
  }
}

/** A program that is not started yet. */
function restartable(command: string, args: readonly string[]): RestartableProgram {
  let running: Program | undefined;
  const stop = async (signal: Deno.Signal = "SIGTERM"): Promise<void> => {
    const ending = running;
    running = undefined;
    if (ending === undefined) return;
    // A stopped process takes no signal but SIGKILL.
    ending.kill("SIGCONT");
    ending.kill(signal);
    await ending[Symbol.asyncDispose]();
  };
  return {
    get pid() {
      return running?.pid ?? 0;
    },
    async suspend() {
      if (running === undefined) return;
      running.kill("SIGSTOP");
      const { pid } = running;
      await eventually(`the threads of ${command} to stop`, () => isSuspended(pid));
    },
    resume: () => running?.kill("SIGCONT"),
    stop,
    start: () => {
      running ??= startCommand(command, args, CLUSTER_ENV);
    },
    output: () => running?.output() ?? "",
  };
}

/** True if no thread of a process runs: the signal reaches them one after another. */
async function isSuspended(pid: number): Promise<boolean> {
  for await (const { name } of Deno.readDir(`/proc/${pid}/task`)) {
    const stat = await Deno.readTextFile(`/proc/${pid}/task/${name}/stat`);
    // proc(5): the state follows the name in parentheses; T: stopped by a signal.
    if (!/^.*\) T /s.test(stat)) return false;
  }
  return true;
}

function etcdFlags(dataDir: string, port: number, peerPort: number): string[] {
  const [client, peer] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peerPort}`];
  return [
    ...["--name=test", `--data-dir=${dataDir}`, "--unsafe-no-fsync", "--log-level=warn"],
    ...[`--listen-client-urls=${client}`, `--advertise-client-urls=${client}`],
    ...[`--listen-peer-urls=${peer}`, `--initial-advertise-peer-urls=${peer}`],
    `--initial-cluster=test=${peer}`,
  ];
}

function serverFlags(files: ClusterFiles, port: number, etcdPort: number): string[] {
  return [
    `--etcd-servers=http://127.0.0.1:${etcdPort}`,
    ...["--bind-address=127.0.0.1", `--secure-port=${port}`],
    ...[`--tls-cert-file=${files.serverCert}`, `--tls-private-key-file=${files.serverKey}`],
    ...[`--client-ca-file=${files.ca}`, `--token-auth-file=${files.tokens}`],
    "--service-account-issuer=https://kubernetes.default.svc",
    `--service-account-key-file=${files.accountKey}`,
    `--service-account-signing-key-file=${files.accountKey}`,
    ...["--service-cluster-ip-range=10.96.0.0/16", "--authorization-mode=Node,RBAC"],
    // A loopback address is refused as endpoint of the server's own Service.
    ...["--endpoint-reconciler-type=none", "--allow-privileged", "--profiling=false"],
  ];
}

/** Flags for an audit log, if the run of the tests has a folder for them. */
async function auditFlags(dir: string): Promise<string[]> {
  const folder = Deno.env.get(AUDIT_FOLDER);
  if (folder === undefined) return [];
  const policy = join(dir, "audit.json");
  await Deno.writeTextFile(policy, AUDIT_POLICY);
  const log = join(folder, `${crypto.randomUUID()}.log`);
  return [`--audit-policy-file=${policy}`, `--audit-log-path=${log}`, "--audit-log-mode=blocking"];
}

/** Without a controller manager there are no service accounts, which pods would need. */
function accountFlags({ controllers }: ClusterOptions): string[] {
  return controllers === true ? [] : ["--disable-admission-plugins=ServiceAccount"];
}

function managerFlags(files: ClusterFiles, port: number): string[] {
  const access = ["kubeconfig", "authentication-kubeconfig", "authorization-kubeconfig"];
  return [
    ...access.map((name) => `--${name}=${files.kubeconfig}`),
    ...["--bind-address=127.0.0.1", `--secure-port=${port}`, "--leader-elect=false"],
    ...[`--root-ca-file=${files.ca}`, `--service-account-private-key-file=${files.accountKey}`],
    ...[`--cluster-signing-cert-file=${files.ca}`, `--cluster-signing-key-file=${files.caKey}`],
    `--controllers=${WITHOUT_NODES}`,
  ];
}

async function runKubectl(
  command: string,
  files: ClusterFiles,
  args: readonly string[],
  input = "",
): Promise<{ success: boolean; text: string }> {
  const child = new Deno.Command(command, {
    args: [`--kubeconfig=${files.kubeconfig}`, ...args],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(input));
  await writer.close();
  const { success, stdout, stderr } = await child.output();
  const decoder = new TextDecoder();
  return { success, text: decoder.decode(stdout) + decoder.decode(stderr) };
}
