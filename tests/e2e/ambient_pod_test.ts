/**
 * A pod of ambient mode in network namespaces of its own: its rules and those of the node with the kernel's packet
 * filter, and the real node proxy, which gets the descriptor of the namespace.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { hostRunner, output, type Runner } from "../../lib/node/capture/mod.ts";
import { hostRules, NodeProxies, podRules } from "../../lib/node/ambient_pods/mod.ts";
import { cniHelper, lackingCniHelper } from "../../scripts/cluster/cni_helper.ts";
import { eventually, nodeProxyPath, packedNodeProxy } from "../../scripts/harness/mod.ts";
import { missing } from "./redirect/network.ts";

const LACKING = missing() ?? lackingCniHelper();
const WITHOUT_PROXY = LACKING ??
  (packedNodeProxy() === undefined ? "needs MESH_NODE_PROXY" : undefined);

const PROBES = { 4: "169.254.7.127", 6: "fd16:9254:7127:1337:ffff:ffff:ffff:ffff" } as const;
const OVERRIDES = { inbound: true, dns: true, virtualInterfaces: [], probes: PROBES };
const NODE = { 4: "10.91.0.1", 6: "fd91::1" } as const;
const POD = { 4: "10.91.0.2", 6: "fd91::2" } as const;

function kernelTest(name: string, fn: () => Promise<void>, lacking = LACKING): void {
  const ignore = lacking !== undefined;
  Deno.test({ name: ignore ? `${name} [${lacking}]` : name, ignore, fn });
}

/** Two linked network namespaces: of a node and of its pod. */
interface Pair extends AsyncDisposable {
  readonly node: Runner;
  readonly pod: Runner;
  readonly podPath: string;
  readonly nodePath: string;
}

async function makePair(): Promise<Pair> {
  const id = crypto.randomUUID().slice(0, 8);
  const [node, pod] = [`mesh-an-${id}`, `mesh-ap-${id}`];
  const own: Runner = hostRunner();
  const at = (name: string) => `/var/run/netns/${name}`;
  const run = async (runner: Runner, command: string) =>
    void await output(runner, { argv: command.split(" ") });
  const runners = { node: hostRunner(at(node)), pod: hostRunner(at(pod)) };
  for (const name of [node, pod]) await run(own, `ip netns add ${name}`);
  await run(runners.node, `ip link add veth0 type veth peer name eth0 netns ${pod}`);
  for (
    const [runner, device, addresses] of [[runners.node, "veth0", NODE], [
      runners.pod,
      "eth0",
      POD,
    ]] as const
  ) {
    await run(runner, "ip link set lo up");
    await run(runner, `ip addr add ${addresses[4]}/24 dev ${device}`);
    await run(runner, `ip addr add ${addresses[6]}/64 dev ${device} nodad`);
    await run(runner, `ip link set ${device} up`);
  }
  await run(runners.pod, `ip route add default via ${NODE[4]}`);
  await run(runners.pod, `ip -6 route add default via ${NODE[6]}`);
  return {
    ...runners,
    podPath: at(pod),
    nodePath: at(node),
    async [Symbol.asyncDispose]() {
      for (const name of [node, pod]) await run(own, `ip netns del ${name}`);
    },
  };
}

/** A server of one line in a network namespace: the address of its client. */
function serve(path: string, port: number): AsyncDisposable {
  const script = `import socket
s = socket.create_server(("::", ${port}), family=socket.AF_INET6, dualstack_ipv6=True)
while True:
    c, a = s.accept()
    c.sendall(a[0].removeprefix("::ffff:").encode())
    c.close()
`;
  return inNamespace(path, script);
}

/** The answer of the server of {@link serve} to a client; empty: it cannot be reached. */
async function heard(runner: Runner, address: string, port: number): Promise<string> {
  const script = `import socket, sys
c = socket.create_connection((sys.argv[1], ${port}), timeout=10)
print(c.recv(100).decode())`;
  const { stdout } = await runner.run({ argv: ["python3", "-c", script, address] });
  return stdout.trim();
}

/** Waits until the server of {@link serve} is there, and both ends know each other's link addresses. */
async function reachable({ node }: Pair): Promise<void> {
  for (const family of [4, 6] as const) {
    const answers = async () => await heard(node, POD[family], 8080) !== "";
    await eventually(`the server by IPv${family}`, answers);
  }
}

kernelTest("rules of a pod: set, found in place, repaired, emptied, removed", async () => {
  await using pair = await makePair();
  const rules = podRules(pair.pod, OVERRIDES, true);
  const before = await output(pair.pod, { argv: ["iptables-save"] });
  assert.equal(await rules.enter(), "applied");
  assert.equal(await rules.enter(), "in-place");
  assert.deepEqual(await rules.inspect(), []);
  await output(pair.pod, { argv: ["ip6tables", "-t", "nat", "-F", "MESH_OUTPUT"] });
  assert.notDeepEqual(await rules.inspect(), []);
  assert.equal(await rules.enter(), "replaced");
  await rules.leave();
  assert.doesNotMatch(await output(pair.pod, { argv: ["iptables-save"] }), /REDIRECT/);
  assert.equal(await rules.enter(), "replaced");
  await rules.remove();
  const chains = (text: string) => text.split("\n").filter((one) => /^-A|^:MESH/.test(one));
  assert.deepEqual(chains(await output(pair.pod, { argv: ["iptables-save"] })), chains(before));
  assert.deepEqual(chains(await output(pair.pod, { argv: ["ip6tables-save"] })), []);
  assert.doesNotMatch(await output(pair.pod, { argv: ["ip", "rule"] }), /0x111/);
  await rules.remove();
});

/** Starts a server in a network namespace that sends lines back. */
function serveLines(path: string, port: number): AsyncDisposable {
  const script = `import socketserver
class Lines(socketserver.StreamRequestHandler):
    def handle(self):
        for line in self.rfile: self.wfile.write(line)
class Server(socketserver.ThreadingTCPServer):
    address_family = 10
    daemon_threads = True
Server(("::", ${port}), Lines).serve_forever()
`;
  return inNamespace(path, script);
}

/** A process of Python in a network namespace. */
function inNamespace(path: string, script: string): AsyncDisposable {
  const child = new Deno.Command("nsenter", {
    args: [`--net=${path}`, "--", "python3", "-c", script],
    stdout: "null",
  }).spawn();
  return {
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.status;
    },
  };
}

/** An open connection from a network namespace to a server of {@link serveLines}. */
interface OpenConnection extends AsyncDisposable {
  /** Sends a line over it, and returns what comes back, or the error. */
  say(line: string): Promise<string>;
}

async function connect(path: string, address: string, port: number): Promise<OpenConnection> {
  const script = `import socket, sys
c = socket.create_connection((sys.argv[1], ${port}), timeout=10)
for line in sys.stdin:
    try:
        c.sendall(line.encode())
        print(c.recv(100).decode().strip(), flush=True)
    except Exception as e:
        print(f"failed: {e}", flush=True)
`;
  const child = new Deno.Command("nsenter", {
    args: [`--net=${path}`, "--", "python3", "-c", script, address],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const printed = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const writer = child.stdin.getWriter();
  let rest = "";
  const connection: OpenConnection = {
    async say(line) {
      await writer.write(new TextEncoder().encode(`${line}\n`));
      while (!rest.includes("\n")) {
        const { value, done } = await printed.read();
        if (done) throw new Error(`the connection to ${address} ended: ${rest}`);
        rest += value;
      }
      const end = rest.indexOf("\n");
      const said = rest.slice(0, end);
      rest = rest.slice(end + 1);
      return said;
    },
    async [Symbol.asyncDispose]() {
      // The pipe of a program that has ended takes nothing more.
      await writer.close().catch(() => {});
      await printed.cancel();
      await child.status;
    },
  };
  try {
    assert.equal(await connection.say("before"), "before");
    return connection;
  } catch (error) {
    await connection[Symbol.asyncDispose]();
    throw error;
  }
}

kernelTest("rules of a pod: connections that are open when it enters go on", async () => {
  await using pair = await makePair();
  await using _pod = serveLines(pair.podPath, 8080);
  await using _node = serveLines(pair.nodePath, 8080);
  const ways = ([4, 6] as const).flatMap((family) => [
    [pair.nodePath, POD[family]] as const,
    [pair.podPath, NODE[family]] as const,
  ]);
  await using stack = new AsyncDisposableStack();
  const open: OpenConnection[] = [];
  for (const [path, address] of ways) {
    const made = await eventually(
      `a connection to ${address}`,
      () => connect(path, address, 8080).catch(() => undefined),
    );
    open.push(stack.use(made));
  }
  assert.equal(await podRules(pair.pod, OVERRIDES, true).enter(), "applied");
  for (const [at, connection] of open.entries()) {
    assert.equal(await connection.say("after"), "after", ways[at]!.join(" to "));
  }
});

kernelTest(
  "rules of the node: probes of pods have their source, other pods and ends do not",
  async () => {
    await using pair = await makePair();
    await using _ = serve(pair.podPath, 8080);
    await reachable(pair);
    const rules = hostRules(pair.node, PROBES, true);
    await rules.replace([{ uid: "u2", addresses: ["10.91.0.9"] }]);
    assert.equal(await heard(pair.node, POD[4], 8080), NODE[4]);
    await rules.replace([{ uid: "u1", addresses: [POD[4], POD[6]] }]);
    for (const family of [4, 6] as const) {
      assert.equal(await heard(pair.node, POD[family], 8080), PROBES[family]);
    }
    await rules.replace([]);
    assert.equal(await heard(pair.node, POD[4], 8080), NODE[4]);
    await rules.replace([{ uid: "u1", addresses: [POD[4]] }]);
    await rules.remove();
    assert.equal(await heard(pair.node, POD[6], 8080), NODE[6]);
    assert.doesNotMatch(await output(pair.node, { argv: ["iptables-save"] }), /MESH/);
  },
);

kernelTest(
  "the real node proxy serves a pod by the descriptor of its namespace, then no longer",
  async () => {
    await using pair = await makePair();
    await using world = await startProxy(pair.nodePath);
    const { proxies } = world;
    await using _ = serve(pair.podPath, 8080);
    await reachable(pair);
    const info = { name: "a", namespace: "shop", serviceAccount: "default" };
    proxies.put({ uid: "u1", info, netns: pair.podPath });
    proxies.complete();
    await proxies.served("u1", 10_000);
    const rules = podRules(pair.pod, OVERRIDES, true);
    await rules.enter();
    await hostRules(pair.node, PROBES, true).replace([{ uid: "u1", addresses: [POD[4], POD[6]] }]);
    // Probes pass by it.
    for (const family of [4, 6] as const) {
      assert.equal(await heard(pair.node, POD[family], 8080), PROBES[family]);
    }
    // A connection without probe address is the node proxy's, which knows the pod by its configuration.
    await hostRules(pair.node, PROBES, true).remove();
    assert.equal(await heard(pair.node, POD[4], 8080), NODE[4]);
    await eventually("the access log", () => world.log().includes('direction="inbound"'));
    await rules.leave();
    proxies.drop("u1");
    await proxies.forgotten("u1", 10_000);
    await rules.remove();
    assert.equal(await heard(pair.node, POD[6], 8080), NODE[6]);
    const { stdout } = await pair.pod.run({ argv: ["ss", "-ltnH"] });
    assert.doesNotMatch(stdout, /:150\d\d\b/);
  },
  WITHOUT_PROXY,
);

/** The real node proxy with one workload from a file, connected to the agent's side. */
async function startProxy(nodePath: string) {
  const dir = await Deno.makeTempDir({ prefix: "mesh-ambient-" });
  const socketPath = join(dir, "z.sock");
  const proxies = new NodeProxies({ helper: await cniHelper(), socketPath });
  const stop = new AbortController();
  const running = proxies.run(stop.signal);
  await eventually("the socket", () => Deno.stat(socketPath).then(() => true, () => false));
  const workload = {
    uid: "Orchestrator//Pod/shop/a",
    name: "a",
    namespace: "shop",
    serviceAccount: "default",
    node: "n",
    network: "",
    trustDomain: "cluster.local",
    status: "Healthy",
    protocol: "HBONE",
    workloadIps: [POD[4], POD[6]],
    services: {},
  };
  await Deno.writeTextFile(
    join(dir, "local.yaml"),
    JSON.stringify({ policies: [], services: [], workloads: [workload] }),
  );
  const program = await nodeProxyPath(packedNodeProxy()!);
  const child = new Deno.Command("nsenter", {
    // Its own ports are fixed.
    args: [`--net=${nodePath}`, "--", program, "proxy", "ztunnel"],
    clearEnv: true,
    env: {
      PATH: "/usr/sbin:/usr/bin:/sbin:/bin",
      ...{
        INPOD_ENABLED: "true",
        INPOD_UDS: socketPath,
        NODE_NAME: "n",
        CLUSTER_ID: "Orchestrator",
      },
      // Nothing is asked of either.
      ...{
        XDS_ADDRESS: "",
        CA_ADDRESS: "http://127.0.0.1:1",
        LOCAL_XDS_PATH: join(dir, "local.yaml"),
      },
    },
    stdout: "piped",
    stderr: "null",
  }).spawn();
  let log = "";
  const read = (async () => {
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) log += text;
  })();
  try {
    await eventually("the node proxy", () => proxies.count === 1);
  } catch (cause) {
    throw new Error(log, { cause });
  }
  return {
    proxies,
    log: () => log,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.status;
      await read;
      stop.abort();
      await running;
      await Deno.remove(dir, { recursive: true });
    },
  };
}
