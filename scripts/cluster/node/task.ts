/**
 * `deno task cluster up|down|status [NAME]`: a cluster whose nodes run pods, on this machine. `up`
 * takes `--nodes=N`, `--network=PLUGIN`, `--dual-stack` and `--image=ARCHIVE`, which may be repeated. Needs root.
 *
 * @module
 */
import { parseArgs } from "node:util";
import { MeshError } from "../../../lib/kit/base/mod.ts";
import { checkOptions, type NodeCluster, runningCluster, startNodes } from "./cluster.ts";
import { nodePrograms } from "../node_programs.ts";
import { type IpVersions, MOST_NODES, POD_NETWORKS, type PodNetwork } from "./layout.ts";
import { closeSpace, openSpaces, sweepSpaces } from "./space.ts";

/** Name of the cluster, if none is given. */
const NAME = "mesh";

const USAGE = `Usage: deno task cluster up|down|status [NAME]

  up [NAME]       start a cluster (default: ${NAME}); --nodes=N (1 to ${MOST_NODES}, default 1),
                  --network=${
  POD_NETWORKS.join("|")
} is the first plugin of the pods' network (default: ptp),
                  --dual-stack gives nodes and pods IPv6, too; --ipv6 gives pods and Services IPv6 alone,
                  --image=ARCHIVE imports images, may be repeated
  down [NAME]     end it and remove everything; --all: all clusters
  status [NAME]   show clusters with their nodes; status 1 if there is none`;

interface Request {
  readonly command: string;
  /** Absent: none was given. */
  readonly name?: string;
  readonly nodes: number;
  readonly network: PodNetwork;
  readonly versions: IpVersions;
  readonly images: readonly string[];
  readonly all: boolean;
}

/**
 * Reads the arguments.
 *
 * @throws MeshError `cluster-usage`
 */
export function requestOf(args: readonly string[]): Request {
  const wrong = (why: string): MeshError => new MeshError("cluster-usage", why, { remedy: USAGE });
  try {
    const { values, positionals } = parseArgs({
      args: args.filter((arg) => arg !== "--"),
      allowPositionals: true,
      options: {
        nodes: { type: "string", default: "1" },
        network: { type: "string", default: "ptp" },
        "dual-stack": { type: "boolean", default: false },
        ipv6: { type: "boolean", default: false },
        image: { type: "string", multiple: true, default: [] },
        all: { type: "boolean", default: false },
      },
    });
    const [command = "", name, ...rest] = positionals;
    if (!["up", "down", "status"].includes(command)) {
      throw wrong(`There is no command "${command}".`);
    }
    if (rest.length > 0) throw wrong(`Too many arguments: ${rest.join(" ")}`);
    if (!/^[0-9]+$/.test(values.nodes)) throw wrong(`--nodes=${values.nodes} is no number.`);
    const network = POD_NETWORKS.find((one) => one === values.network);
    if (network === undefined) {
      throw wrong(`--network=${values.network} is none of ${POD_NETWORKS.join(", ")}.`);
    }
    const { all, image: images } = values;
    if (values["dual-stack"] && values.ipv6) throw wrong("Give --dual-stack or --ipv6, not both.");
    const versions = values.ipv6 ? "6" : values["dual-stack"] ? "46" : "4";
    return { command, name, nodes: Number(values.nodes), network, versions, images, all };
  } catch (error) {
    if (error instanceof MeshError || !(error instanceof TypeError)) throw error;
    throw wrong(error.message);
  }
}

async function up({ name = NAME, nodes, network, versions, images }: Request): Promise<number> {
  const started = performance.now();
  const progress = (line: string): void => console.error(`cluster: ${line}`);
  const options = { name, nodes, network, versions, images, isDetached: true, progress };
  await checkOptions(options);
  await nodePrograms(progress, network);
  const stop = new AbortController();
  const interrupt = (): void =>
    stop.abort(new MeshError("cluster-interrupted", "Interrupted; nothing is left."));
  for (const one of ["SIGINT", "SIGTERM"] as const) Deno.addSignalListener(one, interrupt);
  const cluster = await startNodes({ ...options, signal: stop.signal });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.error(`cluster: ${name} is up after ${seconds} s`);
  console.log(await described(cluster));
  return 0;
}

async function down({ name, all }: Request): Promise<number> {
  const swept = await sweepSpaces();
  for (const one of swept) console.log(`removed what was left of ${one}`);
  const spaces = (await openSpaces()).filter(({ record }) => all || record.name === (name ?? NAME));
  for (const space of spaces) {
    await closeSpace(space);
    console.log(`${space.record.name} is down`);
  }
  if (spaces.length === 0 && swept.length === 0) console.log(`there is no cluster ${name ?? NAME}`);
  return 0;
}

async function status({ name }: Request): Promise<number> {
  const spaces = (await openSpaces()).filter(({ record }) =>
    record.init !== undefined && (name === undefined || record.name === name)
  );
  for (const space of spaces) console.log(await described(await runningCluster(space)));
  if (spaces.length === 0) {
    console.log(`there is no cluster${name === undefined ? "" : ` ${name}`}`);
  }
  return spaces.length > 0 ? 0 : 1;
}

/** The text from which a user goes on with a cluster. */
async function described(cluster: NodeCluster): Promise<string> {
  const columns = "NAME:.metadata.name,READY:.status.conditions[?(@.type=='Ready')].status," +
    "ADDRESS:.status.addresses[0].address";
  const { stdout, stderr } = await cluster.run(["get", "nodes", `-o=custom-columns=${columns}`]);
  const nodes = (stdout || stderr).trimEnd().split("\n").map((line) => `  ${line}`).join("\n");
  return [
    `cluster ${cluster.name} at ${cluster.server}, logs in ${cluster.dir}`,
    nodes,
    `  export KUBECONFIG=${cluster.kubeconfig}`,
    `  ${cluster.kubectl} get pods --all-namespaces`,
  ].join("\n");
}

const COMMANDS: Readonly<Record<string, (request: Request) => Promise<number>>> = {
  up,
  down,
  status,
};

if (import.meta.main) {
  try {
    const request = requestOf(Deno.args);
    Deno.exit(await COMMANDS[request.command]!(request));
  } catch (error) {
    if (!(error instanceof MeshError)) throw error;
    console.error(`cluster: ${error.message}`);
    if (error.remedy !== undefined) console.error(error.remedy);
    Deno.exit(1);
  }
}
