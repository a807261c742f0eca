/**
 * The real process on real files: a node that others damage, disks that are full or read-only, and
 * `kill -9` at any time. The node's network works all the while.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { eventually, freePorts } from "../../scripts/harness/mod.ts";

const MAIN = new URL("../../main.ts", import.meta.url).pathname;
const CONFIG = new URL("../../deno.json", import.meta.url).pathname;
const LIST = `{"name": "pods", "cniVersion": "1.0.0", "plugins": [
  {"type": "ptp"}
]}
`;
const BRIDGE = '{"cniVersion": "0.4.0", "name": "dbnet", "type": "bridge", "mtu": 1450.0}\n';

/** A node whose agent can be started and ended. */
class Node implements AsyncDisposable {
  readonly #root: string;
  readonly #ports: readonly number[];
  #process: Deno.ChildProcess | undefined;
  #log: Promise<string> | undefined;

  private constructor(root: string) {
    this.#root = root;
    this.#ports = freePorts(3);
  }

  static async make(): Promise<Node> {
    const node = new Node(await Deno.makeTempDir({ prefix: "mesh-agent-" }));
    for (const dir of ["image", "bin", "net.d", "run", "account"]) await Deno.mkdir(node.at(dir));
    await Deno.writeTextFile(node.at("image/mesh-cni"), "the plugin");
    await Deno.writeTextFile(node.at("account/token"), "token");
    const certificate = "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n";
    await Deno.writeTextFile(node.at("account/ca.crt"), certificate);
    return node;
  }

  at(name: string): string {
    return join(this.#root, name);
  }

  /** Starts the agent. Its API server does not answer. */
  start(...flags: string[]): void {
    const [health, monitoring, ctrlz] = this.#ports;
    this.#process = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "-q", "--config", CONFIG, MAIN, "install-cni", `--ctrlz_port=${ctrlz}`]
        .concat(flags),
      env: {
        CNI_BIN_SOURCE_DIR: this.at("image"),
        MOUNTED_CNI_BIN_DIR: this.at("bin"),
        MOUNTED_CNI_NET_DIR: this.at("net.d"),
        CNI_AGENT_RUN_DIR: this.at("run"),
        SERVICE_ACCOUNT_DIR: this.at("account"),
        HEALTH_PORT: String(health),
        MONITORING_PORT: String(monitoring),
        KUBERNETES_SERVICE_HOST: "127.0.0.1",
        KUBERNETES_SERVICE_PORT: "1",
        POD_NAME: "agent-1",
      },
      stdout: "piped",
      stderr: "null",
    }).spawn();
    this.#log = new Response(this.#process.stdout).text();
  }

  /** Ends the agent with a signal; gives its log. */
  async end(signal: Deno.Signal = "SIGTERM"): Promise<string> {
    this.#process?.kill(signal);
    await this.#process?.status;
    this.#process = undefined;
    return await this.#log ?? "";
  }

  /** Asks the agent at one of its ports; empty while there is no answer. */
  async get(path: string, listener = 0): Promise<string> {
    try {
      return await (await fetch(`http://127.0.0.1:${this.#ports[listener]}${path}`)).text();
    } catch {
      return "";
    }
  }

  async networks(): Promise<Record<string, string>> {
    const texts: Record<string, string> = {};
    for await (const { name } of Deno.readDir(this.at("net.d"))) {
      if (name.startsWith(".")) continue;
      // A file may go away between the two reads.
      const text = await Deno.readTextFile(join(this.at("net.d"), name)).catch(() => undefined);
      if (text !== undefined) texts[name] = text;
    }
    return texts;
  }

  async put(name: string, text: string): Promise<void> {
    await Deno.writeTextFile(join(this.at("net.d"), name), text);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process !== undefined) await this.end("SIGKILL");
    await Deno.remove(this.#root, { recursive: true });
  }
}

/** Waits until a condition holds. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  await eventually(String(holds), holds);
}

const isInstalled = (node: Node, file: string) => async () =>
  (await node.networks())[file]?.includes('"mesh-cni"') ?? false;

/** Waits until the page of the state says something. */
const says = (node: Node, text: string) => async () => (await node.get("/")).includes(text);

Deno.test("the agent installs, tells its health, and stays on the node when it cannot know", async () => {
  await using node = await Node.make();
  await node.put("10-a.conf", BRIDGE);
  node.start();
  await until(isInstalled(node, "10-a.conflist"));
  await until(says(node, "<dd>installed</dd>"));
  assert.equal(await node.get("/healthz"), "ok\n");
  assert.doesNotMatch(await node.get("/readyz"), /installation/);
  const metrics = await node.get("/metrics", 1);
  assert.match(metrics, /^mesh_cni_install_ready 1$/m);
  assert.match(metrics, /^mesh_cni_installs_total\{result="SUCCESS"\} 1$/m);
  assert.match(await node.get("/version", 1), /^\S+/);
  assert.match(await node.get("/homej", 2), /"ProcessName": ?"install-cni"/);
  const log = await node.end();
  assert.match(log, /the plugin stays on the node.*cannot be read/);
  assert.ok(await isInstalled(node, "10-a.conflist")());
});

Deno.test("bad files: each is said, and the agent goes on when it is repaired", async () => {
  await using node = await Node.make();
  await Deno.remove(node.at("net.d"));
  node.start();
  await until(says(node, "waiting for the directory"));
  assert.match(await node.get("/readyz"), /^installation: waiting: waiting for the directory/m);
  await Deno.mkdir(node.at("net.d"));
  await node.put("10-half.conflist", LIST.slice(0, 50));
  await node.put("20-yaml.conf", "name: pods\n");
  await until(says(node, "waiting for a network configuration"));
  // Two configurations: the first one that can be used.
  await node.put("40-b.conflist", LIST);
  await node.put("30-a.conflist", LIST);
  await until(isInstalled(node, "30-a.conflist"));
  await until(says(node, "10-half.conflist is passed over: it is not JSON"));
  await until(async () => (await node.networks())["40-b.conflist"] === LIST);
  await node.put("10-half.conflist", LIST);
  await until(isInstalled(node, "10-half.conflist"));
  await until(async () => (await node.networks())["30-a.conflist"] === LIST);
});

Deno.test("a link stays a link; a name that shadows the named configuration is said", async () => {
  await using node = await Node.make();
  await node.put("shared.txt", LIST);
  await Deno.symlink("shared.txt", node.at("net.d/20-a.conflist"));
  await node.put("10-first.conflist", LIST);
  node.start("--cni-conf-name=20-a.conflist");
  await until(isInstalled(node, "shared.txt"));
  await until(says(node, "the node uses 10-first.conflist"));
  assert.equal(await Deno.readLink(node.at("net.d/20-a.conflist")), "shared.txt");
  assert.equal((await node.networks())["10-first.conflist"], LIST);
});

Deno.test("a program that rewrites in a loop is named, and its network is used meanwhile", async () => {
  await using node = await Node.make();
  await node.put("10-a.conflist", LIST);
  node.start();
  const loop = setInterval(() => void node.put("10-a.conflist", LIST), 20);
  try {
    await until(says(node, "times in a row"));
  } finally {
    clearInterval(loop);
  }
  // The interval may have a write in progress; the agent repairs that one too.
  await until(isInstalled(node, "10-a.conflist"));
  assert.match(await node.end(), /changes the installation again and again; the repair waits/);
});

/** Runs a program; false if it is not there or fails. */
async function ran(program: string, ...args: string[]): Promise<boolean> {
  try {
    const { success } = await new Deno.Command(program, { args, stderr: "null" }).output();
    return success;
  } catch {
    return false;
  }
}

/** Disks that refuse writes; each needs the right to mount. */
const DISKS:
  readonly (readonly [name: string, says: string, break_: (dir: string) => Promise<void>])[] = [
    ["full", "Free space on the node", async (dir) => {
      const file = await Deno.open(join(dir, "filler"), { write: true, create: true });
      const block = new Uint8Array(4096);
      try {
        for (;;) await file.write(block);
      } catch {
        file.close();
      }
    }],
    ["read-only", "Mount the directory of the node writable", async (dir) => {
      assert.ok(await ran("mount", "-o", "remount,ro", dir));
    }],
  ];

const TMPFS = ["-t", "tmpfs", "-o", "size=64k", "tmpfs"];

/** Users without the right to mount cannot make such disks. */
async function canMount(): Promise<boolean> {
  const dir = await Deno.makeTempDir();
  try {
    return await ran("mount", ...TMPFS, dir) && await ran("umount", dir);
  } finally {
    await Deno.remove(dir);
  }
}

const LACKING = await canMount() ? "" : " [needs the right to mount]";

for (const [name, remedy, break_] of DISKS) {
  const does = `a ${name} disk: it is said, nothing is lost, and the agent goes on later`;
  Deno.test({
    name: `${does}${LACKING}`,
    ignore: LACKING !== "",
    fn: () => onDisk(remedy, break_),
  });
}

async function onDisk(remedy: string, break_: (dir: string) => Promise<void>): Promise<void> {
  await using node = await Node.make();
  const dir = node.at("net.d");
  assert.ok(await ran("mount", ...TMPFS, dir));
  try {
    await node.put("10-a.conf", BRIDGE);
    await break_(dir);
    node.start();
    await until(says(node, remedy));
    assert.equal((await node.networks())["10-a.conf"], BRIDGE);
    assert.match(await node.get("/metrics", 1), /result="CREATE_CNI_CONFIG_FAILURE"/);
    assert.ok(await ran("mount", "-o", "remount,rw", dir));
    await Deno.remove(join(dir, "filler")).catch(() => {});
    await until(isInstalled(node, "10-a.conflist"));
    await node.end();
  } finally {
    await node.end("SIGKILL").catch(() => {});
    assert.ok(await ran("umount", dir));
  }
}

Deno.test("kill -9 at random times: the network works, and the next start repairs it", async () => {
  await using node = await Node.make();
  await node.put("10-a.conf", BRIDGE);
  const works = async () => {
    // Runtimes read the first file; a list that is not written yet leaves the first form in place.
    const networks = await node.networks();
    const [first] = Object.keys(networks).filter((name) => /\.conf(list)?$/.test(name)).sort();
    if (first === undefined) return false;
    const value = JSON.parse(networks[first]!);
    return [value, ...value.plugins ?? []].some(({ type, mtu }) =>
      type === "bridge" && mtu === 1450
    );
  };
  for (let round = 0; round < 6; round++) {
    node.start(`--log-level=${["debug", "info"][round % 2]}`);
    await until(async () => await node.get("/healthz") !== "");
    // Others write their configuration, too, so that there is always something to do.
    if (round % 2 === 1) await node.put("10-a.conf", BRIDGE);
    // The agent is at work meanwhile: a number of answers is a moment that no clock decides.
    const answers = Math.floor(Math.random() * 40);
    for (let i = 0; i < answers; i++) await node.get("/healthz");
    await node.end("SIGKILL");
    assert.ok(await works(), JSON.stringify(await node.networks()));
  }
  node.start("--log-level=warn");
  await until(async () =>
    (await node.networks())["10-a.conflist"]?.includes('"plugin_log_level": "warn"') ?? false
  );
  await until(says(node, "<dd>installed</dd>"));
  await node.end();
  const left = await Array.fromAsync(Deno.readDir(node.at("net.d")), (one) => one.name);
  assert.deepEqual(left.sort(), [".mesh-cni-journal", "10-a.conflist"]);
});
