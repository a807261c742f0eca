/**
 * A process that ends at any change of a file: the node's network works meanwhile, the next start
 * repairs the installation, and a removal puts back what was there.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { installPlugin } from "./install.ts";
import type { InstallSettings } from "./settings.ts";
import { BRIDGE, LIST, makeNode, mortal, type TestNode, usedOf } from "./testing.ts";

/** A node before the installation. */
interface Scene {
  readonly name: string;
  readonly networks: Readonly<Record<string, string>>;
  readonly links?: Readonly<Record<string, string>>;
  readonly changes?: Partial<InstallSettings>;
  /** An older agent has installed before. */
  readonly earlier?: boolean;
}

const SCENES: readonly Scene[] = [
  { name: "a configuration of one plugin", networks: { "10-a.conf": BRIDGE } },
  { name: "a list", networks: { "10-a.conflist": LIST } },
  { name: "both forms", networks: { "10-a.conf": BRIDGE, "10-a.conflist": LIST } },
  { name: "two networks", networks: { "10-a.conflist": LIST, "20-b.conf": BRIDGE } },
  {
    name: "a link to a configuration",
    networks: { "shared.txt": BRIDGE },
    links: { "10-a.conf": "shared.txt" },
  },
  {
    name: "a link to a list",
    networks: { "shared.txt": LIST },
    links: { "10-a.conflist": "shared.txt" },
  },
  {
    name: "a named configuration in JSON",
    networks: { "10-a.json": BRIDGE },
    changes: { confName: "10-a.json" },
  },
  { name: "standalone", networks: { "10-a.conf": BRIDGE }, changes: { chained: false } },
  {
    name: "standalone in place of another",
    networks: { "10-a.conf": BRIDGE, "99-z.conf": BRIDGE },
    changes: { chained: false, confName: "99-z.conf" },
  },
  {
    name: "an upgrade from one plugin",
    networks: { "10-a.conf": BRIDGE },
    earlier: true,
  },
  { name: "an upgrade of a list", networks: { "10-a.conflist": LIST }, earlier: true },
];

async function prepare(node: TestNode, scene: Scene): Promise<void> {
  for (const [name, text] of Object.entries(scene.networks)) await node.put(name, text);
  for (const [name, target] of Object.entries(scene.links ?? {})) {
    await Deno.symlink(target, join(node.settings.netDir, name));
  }
  if (!scene.earlier) return;
  const entry = { ...node.settings.entry, logLevel: "debug" };
  await installPlugin(node.open({ ...scene.changes, entry, instance: "agent-0" }));
}

/** Checks before each change that the node's own network works, and that no plugin is missing. */
function watched(node: TestNode, { networks, links = {} }: Scene): () => Promise<void> {
  const own = Object.fromEntries([
    ...Object.entries(networks),
    ...Object.entries(links).map(([name, target]) => [name, networks[target]!]),
  ]);
  return async () => {
    const used = usedOf(await node.networks());
    assert.deepEqual(used?.plugins, usedOf(own)?.plugins);
    if (used?.hasPlugin) assert.equal(await node.read("bin/mesh-cni"), "the plugin");
  };
}

async function run(files: { readonly isDead: boolean }, work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!files.isDead) throw error;
  }
}

async function assertInstalled(node: TestNode, scene: Scene): Promise<void> {
  const { changes, fault, file } = await node.open(scene.changes).inspect();
  assert.deepEqual([changes, fault], [[], undefined]);
  const text = (await node.networks())[file] ?? "";
  assert.equal(text.split('"type": "mesh-cni"').length, 2, text);
  for (const [name, target] of Object.entries(scene.links ?? {})) {
    const isGone = name.endsWith(".conf");
    const path = join(node.settings.netDir, name);
    assert.equal(await Deno.readLink(path).catch(() => ""), isGone ? "" : target);
  }
}

async function assertPlain(node: TestNode, scene: Scene): Promise<void> {
  const expected = { ...scene.networks };
  for (const [name, target] of Object.entries(scene.links ?? {})) {
    expected[name] = scene.networks[target]!;
    assert.equal(await Deno.readLink(join(node.settings.netDir, name)), target);
  }
  assert.deepEqual(await node.networks(), expected);
  const left = async (dir: string) => await Array.fromAsync(Deno.readDir(dir), ({ name }) => name);
  const { netDir, binaryDir, runDir } = node.settings;
  assert.deepEqual((await left(netDir)).filter((name) => name.startsWith(".")), []);
  assert.deepEqual([await left(binaryDir), await left(runDir)], [[], []]);
}

for (const scene of SCENES) {
  Deno.test(`kill in each step: ${scene.name}`, async (t) => {
    let count = Infinity;
    for (let at = 1; at <= count; at++) {
      await t.step(`installation, change ${at}`, async () => {
        await using node = await makeNode();
        await prepare(node, scene);
        const check = watched(node, scene);
        const files = mortal(at, check);
        await run(files, installPlugin(node.open(scene.changes, files)));
        if (!files.isDead) count = at;
        await check();
        await installPlugin(node.open(scene.changes, mortal(0, check)));
        await assertInstalled(node, scene);
        await node.open(scene.changes, mortal(0, check)).remove();
        await assertPlain(node, scene);
      });
    }
    assert.ok(count > 8, `${count} changes`);
  });

  Deno.test(`kill in each step of the removal: ${scene.name}`, async (t) => {
    let count = Infinity;
    for (let at = 1; at <= count; at++) {
      await t.step(`removal, change ${at}`, async () => {
        await using node = await makeNode();
        await prepare(node, scene);
        await installPlugin(node.open(scene.changes));
        const check = watched(node, scene);
        const files = mortal(at, check);
        await run(files, node.open(scene.changes, files).remove());
        if (!files.isDead) count = at;
        await check();
        // A removal is repeated after a start, as after a restart of the pod.
        await installPlugin(node.open(scene.changes, mortal(0, check)));
        await assertInstalled(node, scene);
        await node.open(scene.changes, mortal(0, check)).remove();
        await assertPlain(node, scene);
      });
    }
    assert.ok(count > 5, `${count} changes`);
  });
}
