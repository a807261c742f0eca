import assert from "node:assert/strict";
import { join } from "node:path";
import type { Step } from "./change.ts";
import { installPlugin } from "./install.ts";
import { type InstallState, keepInstalled, type KeepOptions } from "./keep.ts";
import { hasEntry } from "./text/network.ts";
import { BRIDGE, LIST, makeNode, mortal, type TestNode } from "./testing.ts";
import { lockDirectory } from "./disk/mod.ts";
import type { Changes } from "./watch.ts";

/** A running installation whose states can be waited for. */
class Kept implements AsyncDisposable {
  readonly states: InstallState[] = [];
  readonly installs: (Step | undefined)[] = [];
  readonly #end = new AbortController();
  readonly #running: Promise<void>;
  #wake = Promise.withResolvers<void>();

  constructor(node: TestNode, options: Partial<KeepOptions> = {}) {
    this.#running = keepInstalled(node.open(), {
      onState: (state) => {
        this.states.push(state);
        this.#wake.resolve();
        this.#wake = Promise.withResolvers();
      },
      onInstall: (failed) => void this.installs.push(failed),
      signal: this.#end.signal,
      ...options,
    });
  }

  /** Waits for a state, counted from the ones seen so far. */
  async until(fits: (state: InstallState) => boolean, from = 0): Promise<InstallState> {
    for (;;) {
      const found = this.states.slice(from).find(fits);
      if (found !== undefined) return found;
      await this.#wake.promise;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort();
    await this.#running;
  }
}

/** Looks that a test gives; each is over when the next one is asked for. */
function turns(): Changes & { readonly turn: () => Promise<void> } {
  let asked = Promise.withResolvers<void>();
  let given = Promise.withResolvers<void>();
  return {
    async next(signal) {
      asked.resolve();
      signal.addEventListener("abort", () => given.resolve());
      await given.promise;
    },
    async turn() {
      await asked.promise;
      asked = Promise.withResolvers();
      const look = given;
      given = Promise.withResolvers();
      look.resolve();
      await asked.promise;
    },
    [Symbol.dispose]: () => {},
  };
}

const isInstalled = ({ phase }: InstallState) => phase === "installed";

Deno.test("waits for a directory and a configuration, and says for which", async () => {
  await using node = await makeNode();
  const { netDir, binaryDir } = node.settings;
  await Deno.remove(netDir);
  await using kept = new Kept(node);
  await kept.until(({ phase, reason }) =>
    phase === "waiting" && reason === `waiting for the directory ${netDir}`
  );
  assert.ok(await Deno.stat(join(binaryDir, "mesh-cni")));
  await Deno.mkdir(netDir);
  await node.put("10-a.conf", BRIDGE);
  assert.equal((await kept.until(isInstalled)).file, "10-a.conflist");
});

Deno.test("repairs a rewritten configuration, the binary, and follows token and authority", async () => {
  await using node = await makeNode();
  await node.put("10-a.conflist", LIST);
  await using kept = new Kept(node, { repairs: { first: 1, longest: 1 } });
  await kept.until(isInstalled);
  const { binaryDir, runDir, orchconfig } = node.settings;
  const drifts: [() => Promise<void>, () => Promise<boolean>][] = [
    [
      () => node.put("10-a.conflist", LIST.replace("pods", "others")),
      async () => hasEntry((await node.networks())["10-a.conflist"] ?? ""),
    ],
    [
      () => Deno.remove(join(binaryDir, "mesh-cni")),
      async () => await node.read("bin/mesh-cni") === "the plugin",
    ],
    [
      () => Deno.chmod(join(binaryDir, "mesh-cni"), 0o644),
      async () => (await Deno.stat(join(binaryDir, "mesh-cni"))).mode! % 0o1000 === 0o755,
    ],
    [
      () => Deno.writeTextFile(orchconfig.tokenFile, "token-2"),
      async () => (await node.read("run/mesh-cni-orchconfig"))!.includes("token-2"),
    ],
    [
      () => Deno.writeTextFile(orchconfig.caFile, "-----BEGIN CERTIFICATE-----\nAQ==\n"),
      async () => !(await node.read("run/mesh-cni-orchconfig"))!.includes("QUE9PQ"),
    ],
    [
      () => Deno.remove(join(runDir, "mesh-cni-orchconfig")),
      async () => await node.read("run/mesh-cni-orchconfig") !== undefined,
    ],
  ];
  for (const [drift, isRepaired] of drifts) {
    const before = kept.states.length;
    await drift();
    await kept.until(({ phase }) => phase === "drifted", before);
    await kept.until(isInstalled, before + 1);
    assert.ok(await isRepaired(), drift.toString());
  }
  assert.ok(kept.installs.length >= drifts.length + 1);
});

Deno.test("a program that rewrites in a loop makes no storm: repairs wait longer each time", async () => {
  await using node = await makeNode();
  await node.put("10-a.conflist", LIST);
  // Two programs: each repair is undone at once. Time does not pass, so all repairs count together.
  let undone = 0;
  const undo = async () => {
    await node.put("10-a.conflist", LIST);
    undone++;
  };
  await using kept = new Kept(node, {
    now: () => 0,
    repairs: { first: 1, longest: 8, growth: 2 },
    changes: { next: undo, [Symbol.dispose]: () => {} },
  });
  const held = await kept.until(({ notes }) => notes.includes("repaired 5 times in a row"));
  assert.equal(held.phase, "drifted");
  assert.match(held.reason, /10-a\.conflist is without the entry/);
  assert.ok(undone >= 5);
});

Deno.test("an agent that another one followed changes nothing, until that one is taken off", async () => {
  await using node = await makeNode();
  await node.put("10-a.conflist", LIST);
  const looks = turns();
  await using kept = new Kept(node, { changes: looks });
  await kept.until(isInstalled);
  const other = node.open({ instance: "agent-2" });
  await installPlugin(other);
  await looks.turn();
  const { reason } = await kept.until(({ phase }) => phase === "superseded");
  assert.match(reason, /agent-2 has installed since/);
  await node.put("10-a.conflist", LIST);
  for (let i = 0; i < 3; i++) await looks.turn();
  assert.ok(!hasEntry((await node.networks())["10-a.conflist"]!));
  await other.remove();
  const before = kept.states.length;
  await looks.turn();
  await kept.until(isInstalled, before);
  assert.ok(hasEntry((await node.networks())["10-a.conflist"]!));
});

Deno.test("an agent waits while another one changes the node, says so, and finds what that one left", async () => {
  await using node = await makeNode();
  await node.put("10-a.conf", BRIDGE);
  const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  // The other one is in the middle of its installation: it has not written the configuration yet.
  const files = mortal(0, async () => {
    if (await node.read("net.d/.mesh-cni-journal") === undefined) return;
    begun.resolve();
    await end.promise;
  });
  const other = installPlugin(node.open({ instance: "agent-2" }, files));
  await begun.promise;
  const before = await node.read("net.d/.mesh-cni-journal");
  await using kept = new Kept(node);
  const { reason } = await kept.until(({ phase }) => phase === "locked");
  assert.match(reason, /another agent changes .*net\.d at this moment; the journal names agent-2$/);
  assert.equal(await node.read("net.d/.mesh-cni-journal"), before);
  assert.deepEqual(await node.networks(), { "10-a.conf": BRIDGE });
  end.resolve();
  await other;
  assert.equal((await kept.until(isInstalled)).file, "10-a.conflist");
  await node.open().remove();
  assert.deepEqual(await node.networks(), { "10-a.conf": BRIDGE });
});

Deno.test("an agent that waits for another one ends when it is asked to", async () => {
  await using node = await makeNode();
  await node.put("10-a.conf", BRIDGE);
  using _ = await lockDirectory(node.settings.netDir);
  await using kept = new Kept(node);
  await kept.until(({ phase }) => phase === "locked");
});

Deno.test("a step that fails is named with its remedy, and tried again", async () => {
  await using node = await makeNode();
  await node.put("10-a.conflist", LIST);
  const { tokenFile } = node.settings.orchconfig;
  await Deno.writeTextFile(tokenFile, "");
  await using kept = new Kept(node);
  const failed = await kept.until(({ phase }) => phase === "failed");
  assert.match(failed.reason, /the token of the service account is empty: .*Run in a pod/);
  assert.deepEqual(kept.installs, ["orchconfig"]);
  await Deno.writeTextFile(tokenFile, "token");
  await kept.until(isInstalled);
});

Deno.test("a configuration that another one's name shadows is said", async () => {
  await using node = await makeNode();
  await node.put("20-b.conflist", LIST);
  await node.put("10-a.json", BRIDGE);
  await using kept = new Kept(node);
  const { notes } = await kept.until(isInstalled);
  assert.match(notes[0] ?? "", /the node uses 10-a\.json, whose name comes before 20-b\.conflist/);
});
