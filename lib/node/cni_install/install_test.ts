/**
 * Installations whose files others change, and settings that cannot be used.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { orchconfigText } from "./text/orchconfig.ts";
import { installPlugin } from "./install.ts";
import { BRIDGE, LIST, makeNode, usedOf } from "./testing.ts";

Deno.test("an earlier configuration of others gets the entry, and the one before its own content", async () => {
  await using node = await makeNode();
  await node.put("10-a.conf", BRIDGE);
  await installPlugin(node.open());
  await node.put("05-first.conflist", LIST);
  await installPlugin(node.open());
  const networks = await node.networks();
  assert.deepEqual(Object.keys(networks), ["05-first.conflist", "10-a.conf"]);
  assert.equal(networks["10-a.conf"], BRIDGE);
  assert.ok(usedOf(networks)?.hasPlugin);
  await node.open().remove();
  assert.deepEqual(await node.networks(), { "05-first.conflist": LIST, "10-a.conf": BRIDGE });
});

Deno.test("changes of others beside the entry outlive an upgrade and the removal", async () => {
  await using node = await makeNode();
  await node.put("10-a.conflist", LIST);
  await installPlugin(node.open());
  const text = (await node.networks())["10-a.conflist"]!;
  await node.put("10-a.conflist", text.replace('"pods"', '"renamed"'));
  await installPlugin(node.open({ instance: "agent-2" }));
  await node.open({ instance: "agent-2" }).remove();
  assert.deepEqual(await node.networks(), { "10-a.conflist": LIST.replace('"pods"', '"renamed"') });
});

Deno.test("without the journal a removal takes the entry out of every configuration", async () => {
  await using node = await makeNode();
  await node.put("10-a.conflist", LIST);
  await installPlugin(node.open());
  await node.put("20-b.conflist", (await node.networks())["10-a.conflist"]!);
  await node.put("30-c.conf", '{"name":"x","type":"mesh-cni"}');
  await Deno.remove(join(node.settings.netDir, ".mesh-cni-journal"));
  await node.open().remove();
  assert.deepEqual(await node.networks(), { "10-a.conflist": LIST, "20-b.conflist": LIST });
});

for (const broken of ["", "{", '{"version":1}', '{"version":2,"file":"a"}', "[]"]) {
  Deno.test(`a broken journal is kept apart: ${JSON.stringify(broken)}`, async () => {
    await using node = await makeNode();
    await node.put("10-a.conflist", LIST);
    await installPlugin(node.open());
    await node.put(".mesh-cni-journal", broken);
    await installPlugin(node.open());
    assert.equal(await node.read("net.d/.mesh-cni-journal.broken"), broken);
    await node.open().remove();
    assert.deepEqual(await node.networks(), { "10-a.conflist": LIST });
  });
}

Deno.test("a journal that names a file outside of the directory is broken", async () => {
  await using node = await makeNode();
  const original = { name: "../run/x", content: "", facts: { mode: 420, uid: 0, gid: 0 } };
  const journal = { version: 1, instance: "a", state: "installed", file: "10-a.conf", written: [] };
  await node.put("10-a.conf", BRIDGE);
  await node.put(".mesh-cni-journal", JSON.stringify({ ...journal, originals: [original] }));
  await node.open().remove();
  assert.equal(await node.read("run/x"), undefined);
  assert.deepEqual(await node.networks(), { "10-a.conf": BRIDGE });
});

Deno.test("mode and owner of a configuration stay", async () => {
  await using node = await makeNode();
  await node.put("10-a.conf", BRIDGE);
  const path = join(node.settings.netDir, "10-a.conf");
  await Deno.chmod(path, 0o640);
  const isRoot = Deno.uid() === 0;
  if (isRoot) await Deno.chown(path, 7, 8);
  const facts = async (name: string) => {
    const { mode, uid, gid } = await Deno.stat(join(node.settings.netDir, name));
    return [mode! % 0o1000, uid, gid];
  };
  const before = await facts("10-a.conf");
  await installPlugin(node.open());
  assert.deepEqual(await facts("10-a.conflist"), before);
  await node.open().remove();
  assert.deepEqual(await facts("10-a.conf"), before);
});

Deno.test("a file that would take over the network is an error, and nothing changes", async () => {
  await using node = await makeNode();
  // "-" comes before "l": without a.conf this file is before a.conflist.
  const networks = { "a.conf": BRIDGE, "a.conf-old.conflist": LIST };
  for (const [name, text] of Object.entries(networks)) await node.put(name, text);
  await assert.rejects(installPlugin(node.open()), /a\.conf-old\.conflist would be used/);
  assert.deepEqual(await node.networks(), networks);
});

Deno.test("a link that leads out of sight is an error that names it", async () => {
  await using node = await makeNode();
  await Deno.symlink("/nowhere/net.conf", join(node.settings.netDir, "10-a.conf"));
  const confName = "10-a.conf";
  const { fault } = await node.open({ confName }).inspect();
  assert.match(fault?.message ?? "", /waiting for .*10-a\.conf/);
});

for (const wrong of ["{", "[]", "yaml: true", '{"plugins": 1}']) {
  Deno.test(`a named configuration that cannot be used is named: ${wrong}`, async () => {
    await using node = await makeNode();
    await node.put("a.conflist", wrong);
    const failing = installPlugin(node.open({ confName: "a.conflist" }));
    await assert.rejects(failing, /net\.d\/a\.conflist cannot be used: .+/);
    assert.deepEqual(await node.networks(), { "a.conflist": wrong });
  });
}

Deno.test("the client configuration: mode, authority, token, server", async () => {
  await using node = await makeNode();
  await node.put("10-a.conf", BRIDGE);
  const orchconfig = { ...node.settings.orchconfig, mode: 0o640 };
  await installPlugin(node.open({ orchconfig }));
  const path = join(node.settings.runDir, "mesh-cni-orchconfig");
  assert.equal((await Deno.stat(path)).mode! % 0o1000, 0o640);
  const config = JSON.parse(await Deno.readTextFile(path));
  assert.equal(config.users[0].user.token, "token-1");
  assert.equal(config.clusters[0].cluster.server, "https://10.0.0.1:443");
  await Deno.writeTextFile(orchconfig.caFile, "no certificate");
  await assert.rejects(installPlugin(node.open()), /has no certificate in PEM form: .*ca\.crt/);
  const skipped = { ...orchconfig, skipTlsVerify: true };
  await installPlugin(node.open({ orchconfig: skipped }));
  const { cluster } = JSON.parse(await Deno.readTextFile(path)).clusters[0];
  assert.deepEqual(cluster, {
    "insecure-skip-tls-verify": true,
    server: "https://10.0.0.1:443",
  });
});

const SERVERS: readonly (readonly [host: string, port: string, server: string])[] = [
  ["10.0.0.1", "443", "https://10.0.0.1:443"],
  ["fd00::1", "6443", "https://[fd00::1]:6443"],
  ["[fd00::1]", "6443", "https://[fd00::1]:6443"],
  ["api.example", "443", "https://api.example:443"],
];

for (const [host, port, server] of SERVERS) {
  Deno.test(`the API server ${host} port ${port}`, async () => {
    await using node = await makeNode();
    const settings = { ...node.settings.orchconfig, host, port };
    const text = orchconfigText(settings, { token: "t", ca: new Uint8Array() });
    assert.equal(JSON.parse(text).clusters[0].cluster.server, server);
  });
}

for (const [host, port, name] of [["", "443", "HOST"], ["10.0.0.1", "", "PORT"]] as const) {
  Deno.test(`without the API server's ${name} nothing is written`, async () => {
    await using node = await makeNode();
    const settings = { ...node.settings.orchconfig, host, port };
    assert.throws(
      () => orchconfigText(settings, { token: "t", ca: new Uint8Array() }),
      new RegExp(`KUBERNETES_SERVICE_${name} is not set`),
    );
  });
}
