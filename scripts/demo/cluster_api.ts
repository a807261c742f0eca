/**
 * The demo with an API server alone, for users without root: pods are only objects, two backends on
 * this machine stand for them, and one client has an Envoy.
 *
 * @module
 */
import { MeshError } from "../../lib/kit/base/mod.ts";
import { findGo, lackingCluster } from "../cluster/programs.ts";
import {
  type Cluster,
  freePort,
  spread,
  startAgent,
  startBackend,
  startCluster,
  startDaemon,
} from "../harness/mod.ts";
import { envoyPath } from "../tools.ts";
import {
  CLIENT,
  type ClusterDemo,
  HOST,
  MISSPELT,
  NAMESPACE,
  objects,
  podObject,
  podStatus,
  routes,
  type ShownPod,
  slice,
  VERSION_2,
} from "./cluster_objects.ts";
import { words } from "./explore.ts";
import type { Narrator } from "./narrator.ts";

/** Number of requests that measure a split. */
const SAMPLE = 300;

/** Runs the demo; on a terminal it stays up until the signal. */
export async function showApi(narrator: Narrator, signal: AbortSignal): Promise<void> {
  checkTools(narrator);
  await show(narrator, machineAddress(), signal);
}

/** Says how to get the programs of the cluster if they are not here. */
function checkTools({ say }: Narrator): void {
  if (lackingCluster() === undefined) return;
  if (findGo() === undefined) {
    throw new MeshError("tools-no-go", "The API server is not built yet, and Go is missing.", {
      remedy: "Install Go 1.21 or later (https://go.dev/dl), then run `deno task tools`.",
    });
  }
  say("   The API server is built first, once; that takes about 6 minutes on two cores.");
}

/** An address of this machine; the API accepts no loopback addresses of endpoints. */
function machineAddress(): string {
  const found = Deno.networkInterfaces().find(({ family, address }) =>
    family === "IPv4" && !address.startsWith("127.") && !address.startsWith("169.254.")
  );
  if (found !== undefined) return found.address;
  throw new MeshError("demo-address", "This machine has no IPv4 address besides loopback.", {
    remedy: "Connect it to a network, or add one: ip addr add 10.0.0.1/32 dev lo",
  });
}

async function show(narrator: Narrator, address: string, signal: AbortSignal): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const work = await Deno.makeTempDir({ prefix: "mesh-demo-" });
  stack.defer(() => Deno.remove(work, { recursive: true }));
  const pods = ["v1", "v2"].map((version): ShownPod => {
    const backend = stack.use(startBackend(version, address));
    return { name: `shop-${version}`, version, address, port: backend.port };
  });
  const cluster = stack.use(await startCluster());
  signal.throwIfAborted();
  narrator.say(`   API server at ${cluster.server}`);
  const demo = demoOf(narrator, cluster);
  await register(demo, pods);
  signal.throwIfAborted();
  const daemon = stack.use(
    await startDaemon({ configDir: "", args: [`--orchconfig=${cluster.files.kubeconfig}`] }),
  );
  narrator.say(`   pilot-discovery --orchconfig=${cluster.files.kubeconfig}`);
  const client = stack.use(
    await startAgent({
      role: "sidecar",
      name: "client",
      namespace: NAMESPACE,
      labels: { app: "client" },
      ip: CLIENT,
      xds: daemon.xds,
      envoy: await envoyPath(),
      dir: work,
      interception: "NONE",
    }),
  );
  narrator.say(`   pilot-agent with Envoy for a client; the pods are backends at ${address}`);
  await steps(narrator, demo, pods);
  await stay(narrator, demo, { debug: daemon.http, admin: client.admin }, signal);
}

/** Objects that are there before the first step. */
async function register(demo: ClusterDemo, pods: readonly ShownPod[]): Promise<void> {
  const crds = new URL("../crds.ts", import.meta.url).pathname;
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "-q", crds, "--apply", `--kubeconfig=${demo.kubeconfig}`],
    stdout: "null",
    stderr: "piped",
  }).output();
  const text = new TextDecoder().decode(stderr).trim();
  if (!success) throw new Error(text);
  demo.narrator.say(`   ${text}`);
  await demo.apply(objects(demo.port));
  for (const pod of pods) {
    await demo.apply(podObject(pod));
    await demo.kubectl(
      ["patch", "pod", pod.name, "-n", NAMESPACE, "--subresource=status", "--type=merge"]
        .concat("-p", JSON.stringify(podStatus(pod))),
    );
    await demo.apply(slice(pod));
  }
  demo.narrator.say("   kubectl apply: a Service `shop` with two pods, each with an EndpointSlice");
}

function demoOf(narrator: Narrator, cluster: Cluster): ClusterDemo {
  const port = freePort();
  const kubectl = async (args: readonly string[], input?: string): Promise<string> => {
    const { success, text } = await cluster.run(args, input);
    if (!success) throw new Error(`kubectl ${args.join(" ")}: ${text}`);
    return text;
  };
  return {
    narrator,
    port,
    kubeconfig: cluster.files.kubeconfig,
    kubectlPath: cluster.kubectl,
    kubectl,
    tryKubectl: (args, input) => cluster.run(args, input),
    apply: (text) => kubectl(["apply", "-f", "-"], text),
    split: async () => {
      const url = `http://${CLIENT}:${port}/`;
      const counts = await spread(SAMPLE, url, { host: `${HOST}:${port}` });
      return { counts, seen: `${SAMPLE} requests → ${words(counts)}` };
    },
  };
}

/** The steps, each a change by `kubectl` and the traffic after it. */
async function steps(
  narrator: Narrator,
  demo: ClusterDemo,
  [first]: readonly ShownPod[],
): Promise<void> {
  const { split, apply, kubectl, tryKubectl } = demo;
  const both = async () => {
    const { counts, seen } = await split();
    return { seen, ok: (counts.v1 ?? 0) > 0 && (counts.v2 ?? 0) > 0 };
  };
  await narrator.step("A Service with two pods: both versions answer", async () => {}, both);
  await narrator.step("kubectl apply: 80 % to v1, 20 % to v2", async () => {
    narrator.show("routes.yaml", routes(80));
    await apply(routes(80));
  }, async () => {
    const { counts, seen } = await split();
    const share = (counts.v1 ?? 0) / SAMPLE;
    return { seen, ok: share > 0.68 && share < 0.92 };
  });
  const patch = ["patch", "virtualservice", "shop", "-n", NAMESPACE, "--type=merge"];
  await narrator.step("kubectl patch: everything to v2", async () => {
    narrator.say(`   kubectl ${patch.join(" ")} -p '${JSON.stringify(VERSION_2)}'`);
    await kubectl([...patch, "-p", JSON.stringify(VERSION_2)]);
  }, async () => {
    const { counts, seen } = await split();
    return { seen, ok: counts.v2 === SAMPLE };
  });
  let refusal = "";
  await narrator.step(
    "A misspelt field is refused by the API, and the old routes keep serving",
    async () => {
      narrator.show("misspelt.yaml", MISSPELT);
      const { success, text } = await tryKubectl(["apply", "-f", "-"], MISSPELT);
      // kubectl repeats the whole object before the reason.
      refusal = success ? "" : /strict decoding error: .*/.exec(text)?.[0] ?? text.trim();
    },
    async () => {
      const { counts, seen } = await split();
      return { seen: `${refusal}; ${seen}`, ok: refusal !== "" && counts.v2 === SAMPLE };
    },
  );
  await narrator.step(
    "kubectl delete: without routes, and without the pod of v1, v2 answers alone",
    async () => {
      await kubectl(["delete", "endpointslice", first!.name, "-n", NAMESPACE]);
      await kubectl(["delete", "virtualservice", "shop", "-n", NAMESPACE]);
    },
    async () => {
      const { counts, seen } = await split();
      return { seen, ok: counts.v2 === SAMPLE };
    },
  );
  await narrator.step("The pod of v1 is back", async () => {
    await apply(slice(first!));
  }, both);
}

/** Prints addresses to explore; on a terminal, waits until Ctrl-C. */
async function stay(
  narrator: Narrator,
  demo: ClusterDemo,
  { debug, admin }: { readonly debug: string; readonly admin: string },
  signal: AbortSignal,
): Promise<void> {
  narrator.say(`
The debug page: ${debug}/debug
   Envoy        ${admin}
   requests     curl -H 'Host: ${HOST}:${demo.port}' http://${CLIENT}:${demo.port}/
   kubectl      ${demo.kubectlPath} --kubeconfig=${demo.kubeconfig} -n ${NAMESPACE} get services
   meshctl      deno run -A -q main.ts meshctl analyze -c ${demo.kubeconfig} -n ${NAMESPACE}
                deno run -A -q main.ts meshctl proxy-status --xds-address ${debug}`);
  if (!Deno.stdin.isTerminal()) return;
  narrator.say("\nThe mesh stays up. Ctrl-C stops it.");
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
}
