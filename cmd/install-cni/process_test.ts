/**
 * The real process on real files: a node that others damage, disks that are full or read-only, and
 * `kill -9` at any time. The node's network works all the while.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { familiesOf } from "../../scripts/metrics_page.ts";
import {
  AgentNode as Node,
  BRIDGE,
  isInstalled,
  LIST,
  says,
  until,
} from "../../tests/support/agent_node.ts";

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
  const page = await Deno.readTextFile(new URL("../../docs/cni.md", import.meta.url));
  const written = [...page.matchAll(/^\| `(mesh_cni_\w+)` +\| (\w+) /gm)]
    .map(([, name, kind]) => [name, kind]);
  const exported = familiesOf(metrics).filter(({ name }) => name.startsWith("mesh_cni_"))
    .map(({ name, kind }) => [name, kind]);
  assert.deepEqual(written, exported.sort());
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
