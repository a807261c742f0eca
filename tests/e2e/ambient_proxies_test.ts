/**
 * The socket of node proxies: programs that answer, refuse, hang or are strangers, and the real node proxy in the
 * network namespace of a pod.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { NodeProxies } from "../../lib/node/ambient_pods/mod.ts";
import { cniHelper, lackingCniHelper } from "../../scripts/cluster/cni_helper.ts";
import { eventually } from "../../scripts/harness/mod.ts";

const PEER =
  new URL("../../lib/node/ambient_pods/proxies/testdata/peer.py", import.meta.url).pathname;
const LACKING = lackingCniHelper();
/** A namespace whose descriptor is sent. */
const OWN = "/proc/self/ns/net";
const SNAPSHOT = "1a00";

function socketTest(name: string, fn: (world: World) => Promise<void>): void {
  const ignore = LACKING !== undefined;
  Deno.test({
    name: ignore ? `${name} [${LACKING}]` : name,
    ignore,
    fn: async () => {
      await using world = await World.make();
      await fn(world);
    },
  });
}

/** The agent's side of the socket, in a folder of its own. */
class World implements AsyncDisposable {
  readonly proxies: NodeProxies;
  readonly #dir: string;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  readonly #peers: Peer[] = [];

  private constructor(dir: string, helper: string) {
    this.#dir = dir;
    const times = { helloMs: 1_000, answerMs: 1_000 };
    this.proxies = new NodeProxies({ helper, socketPath: join(dir, "z.sock"), times });
    this.#running = this.proxies.run(this.#stop.signal);
  }

  static async make(): Promise<World> {
    return new World(await Deno.makeTempDir({ prefix: "mesh-zds-" }), await cniHelper());
  }

  /** Connects a program. */
  async peer(manner: string): Promise<Peer> {
    const path = join(this.#dir, "z.sock");
    await eventually("the socket", () => Deno.stat(path).then(() => true, () => false));
    const peer = new Peer(path, manner);
    this.#peers.push(peer);
    return peer;
  }

  put(uid: string, netns?: string): void {
    const info = { name: uid, namespace: "shop", serviceAccount: "default" };
    this.proxies.put({ uid, info, ...netns !== undefined && { netns } });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
    for (const peer of this.#peers) await peer[Symbol.asyncDispose]();
    assert.deepEqual([...Deno.readDirSync(this.#dir)], []);
    await Deno.remove(this.#dir);
  }
}

/** A program on the socket. */
class Peer implements AsyncDisposable {
  readonly lines: string[] = [];
  readonly #child: Deno.ChildProcess;
  readonly #read: Promise<void>;

  constructor(path: string, manner: string) {
    this.#child = new Deno.Command("python3", { args: [PEER, path, manner], stdout: "piped" })
      .spawn();
    this.#read = this.#collect();
  }

  /** Waits for a message that begins with these digits. */
  async got(start: string): Promise<string> {
    const find = () => this.lines.find((line) => line.startsWith(start));
    await eventually(`${start} among ${this.lines.join(" ")}`, () => find() !== undefined);
    return find()!;
  }

  async #collect(): Promise<void> {
    let rest = "";
    for await (const chunk of this.#child.stdout.pipeThrough(new TextDecoderStream())) {
      const parts = (rest + chunk).split("\n");
      rest = parts.pop() ?? "";
      this.lines.push(...parts);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      this.#child.kill("SIGKILL");
    } catch { /* It has ended. */ }
    await this.#child.status;
    await this.#read;
  }
}

/** The digits with which the message about a pod begins, by the field of the message. */
function messageOf(kind: "add" | "keep" | "del", uid: string): RegExp {
  const id = [...new TextEncoder().encode(uid)].map((one) => one.toString(16)).join("");
  const length = uid.length.toString(16).padStart(2, "0");
  const field = kind === "del" ? "12" : "0a";
  const start = { add: "0a", keep: "2a", del: "12" }[kind];
  return new RegExp(`^${start}..${field}${length}${id}`);
}

function has(peer: Peer, kind: "add" | "keep" | "del", uid: string): boolean {
  return peer.lines.some((line) => messageOf(kind, uid).test(line));
}

/** Waits until a program has printed the message: it answers before the test has read it. */
async function sees(peer: Peer, kind: "add" | "keep" | "del", uid: string): Promise<void> {
  await eventually(`${kind} of ${uid}`, () => has(peer, kind, uid));
}

socketTest("a node proxy gets the pods that are there, then changes", async (world) => {
  world.put("u1", OWN);
  world.put("u2");
  const peer = await world.peer("answer");
  await eventually("the connection", () => world.proxies.count === 1);
  // Nothing is told before all pods are known: the end of the first pods ends others.
  assert.equal(peer.lines.length, 0);
  world.proxies.complete();
  await peer.got(SNAPSHOT);
  await sees(peer, "add", "u1");
  await sees(peer, "keep", "u2");
  const added = peer.lines.find((line) => messageOf("add", "u1").test(line))!;
  assert.equal(Number(added.split(" ")[1]), (await Deno.stat(OWN)).ino);
  await world.proxies.served("u1", 5_000);
  world.put("u3", OWN);
  await world.proxies.served("u3", 5_000);
  world.proxies.drop("u1");
  await world.proxies.forgotten("u1", 5_000);
  await sees(peer, "del", "u1");
  assert.ok(
    peer.lines.indexOf(SNAPSHOT) < peer.lines.findIndex((one) => /^0a..0a027533/.test(one)),
  );
});

socketTest(
  "of two node proxies the newest gets new pods; both are told of the end",
  async (world) => {
    world.put("u1", OWN);
    world.proxies.complete();
    const first = await world.peer("answer");
    await first.got(SNAPSHOT);
    const second = await world.peer("answer");
    await second.got(SNAPSHOT);
    world.put("u2", OWN);
    await world.proxies.served("u2", 5_000);
    await sees(second, "add", "u1");
    await sees(second, "add", "u2");
    assert.ok(!has(first, "add", "u2"));
    world.proxies.drop("u1");
    await world.proxies.forgotten("u1", 5_000);
    await sees(first, "del", "u1");
    await sees(second, "del", "u1");
    // The first one serves again, with all pods.
    await second[Symbol.asyncDispose]();
    await world.proxies.served("u2", 5_000);
    await sees(first, "add", "u2");
  },
);

socketTest(
  "strangers, the mute and those that hang are disconnected; others are served",
  async (world) => {
    world.put("u1", OWN);
    world.proxies.complete();
    const good = await world.peer("answer");
    await good.got(SNAPSHOT);
    const bad = await Promise.all(["stranger", "mute", "silent"].map((one) => world.peer(one)));
    for (const peer of bad) await peer.got("closed");
    world.put("u2", OWN);
    await world.proxies.served("u2", 5_000);
    await sees(good, "add", "u2");
  },
);

socketTest(
  "a refusal and a namespace that is gone are told, and concern one pod alone",
  async (world) => {
    world.put("gone", "/nowhere");
    world.put("there", OWN);
    world.proxies.complete();
    const peer = await world.peer("answer");
    await peer.got(SNAPSHOT);
    await assert.rejects(
      world.proxies.served("gone", 5_000),
      /does not serve the pod: .*\/nowhere/,
    );
    await world.proxies.served("there", 5_000);
    // Until the end of the first pods a pod that cannot be sent is kept.
    await sees(peer, "keep", "gone");
    const refusing = await world.peer("refuse");
    await refusing.got(SNAPSHOT);
    await assert.rejects(world.proxies.served("there", 5_000), /does not serve the pod: no/);
  },
);

socketTest("without a node proxy the wait ends, and says why", async (world) => {
  world.put("u1", OWN);
  world.proxies.complete();
  await assert.rejects(world.proxies.served("u1", 100), /no node proxy is connected/);
});

socketTest("labels that change a hundred times end with the last state", async (world) => {
  world.proxies.complete();
  const peer = await world.peer("answer");
  await peer.got(SNAPSHOT);
  for (let n = 0; n < 100; n++) {
    world.put("u1", OWN);
    world.proxies.drop("u1");
  }
  world.put("u1", OWN);
  await world.proxies.served("u1", 5_000);
  assert.ok(
    peer.lines.findLastIndex((line) => messageOf("add", "u1").test(line)) === peer.lines.length - 1,
  );
});
