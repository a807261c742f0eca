/**
 * Two agents on one node, as when the pods of two installations or of an upgrade overlap: one changes
 * the node at a time, also when it is killed, and a removal puts back what was there.
 */
import assert from "node:assert/strict";
import { DISK, openInstallation, readJournal } from "../../lib/node/cni_install/mod.ts";
import { AgentNode, BRIDGE, isInstalled, says, until } from "../../tests/support/agent_node.ts";

/** Holds the lock of a folder, and says when it has it. */
const HOLDER = `
  const folder = await Deno.open(Deno.args[0], { read: true });
  await folder.lock(true);
  console.log("held");
  setInterval(() => {}, 1000);
`;

async function holder(node: AgentNode): Promise<Deno.ChildProcess> {
  const file = node.at("holder.ts");
  await Deno.writeTextFile(file, HOLDER);
  const args = ["run", "-A", "-q", "--no-config", file, node.at("net.d")];
  const child = new Deno.Command(Deno.execPath(), { args, stdout: "piped" }).spawn();
  const reader = child.stdout.getReader();
  assert.match(new TextDecoder().decode((await reader.read()).value), /held/);
  await reader.cancel();
  return child;
}

Deno.test("an agent waits for another process that changes the node, and says so, until that is killed", async () => {
  await using node = await AgentNode.make();
  await node.put("10-a.conf", BRIDGE);
  const other = await holder(node);
  try {
    node.start();
    const reason = `another agent changes ${node.at("net.d")} at this moment`;
    await until(says(node, "<dd>locked</dd>"));
    assert.ok((await node.get("/readyz")).includes(`installation: locked: ${reason}\n`));
    assert.match(await node.get("/metrics", 1), /^mesh_cni_install_ready 0$/m);
    assert.deepEqual(await node.networks(), { "10-a.conf": BRIDGE });
    other.kill("SIGKILL");
    await until(isInstalled(node, "10-a.conflist"));
    await until(says(node, "<dd>installed</dd>"));
    const log = await node.end();
    assert.ok(
      log.includes("the installation waits for another agent") && log.includes(reason),
      log,
    );
  } finally {
    await other.status;
  }
});

Deno.test("an agent that waits for another process ends when it is asked to", async () => {
  await using node = await AgentNode.make();
  await node.put("10-a.conf", BRIDGE);
  const other = await holder(node);
  try {
    node.start();
    await until(says(node, "<dd>locked</dd>"));
    assert.match(await node.end(), /the plugin stays on the node/);
  } finally {
    other.kill("SIGKILL");
    await other.status;
  }
});

Deno.test("two agents start at the same moment, one is killed and starts again: one of them has installed", async () => {
  for (let round = 0; round < 3; round++) {
    await using node = await AgentNode.make();
    await using second = node.beside("agent-2");
    await node.put("10-a.conf", BRIDGE);
    node.start("--log-level=info");
    second.start("--log-level=debug");
    // The moment of the end is a number of answers, which no clock decides.
    await until(async () => await second.get("/healthz") !== "");
    const answers = Math.floor(Math.random() * 20);
    for (let i = 0; i < answers; i++) await second.get("/healthz");
    await second.end("SIGKILL");
    second.start("--log-level=debug");
    await until(isSettled(node, second));
    const journal = await readJournal(DISK, node.at("net.d"));
    assert.equal(journal?.state, "installed");
    const [winner, loser] = journal.instance === "agent-1" ? [node, second] : [second, node];
    assert.ok(await says(winner, "<dd>installed</dd>")());
    assert.ok(await says(loser, `${journal.instance} has installed since`)());
    const [original, ...more] = journal.originals;
    assert.deepEqual([original?.name, more], ["10-a.conf", []]);
    assert.equal(new TextDecoder().decode(original?.content), BRIDGE);
    const { "10-a.conflist": list = "", ...others } = await node.networks();
    assert.deepEqual([list.split('"type": "mesh-cni"').length, others], [2, {}], list);
    await node.end();
    await second.end();
    await openInstallation(settingsOf(node)).remove();
    assert.deepEqual(await node.networks(), { "10-a.conf": BRIDGE });
  }
});

/** A condition: one agent has installed, and the other one knows. */
function isSettled(...agents: readonly AgentNode[]): () => Promise<boolean> {
  return async () => {
    const pages = await Promise.all(agents.map((one) => one.get("/")));
    return ["installed", "superseded"].every((phase) =>
      pages.some((page) => page.includes(`<dd>${phase}</dd>`))
    );
  };
}

/** The settings of an installation on the files of a node; only its folders matter for a removal. */
function settingsOf(node: AgentNode): Parameters<typeof openInstallation>[0] {
  return {
    binarySource: node.at("image/mesh-cni"),
    binaryDir: node.at("bin"),
    runDir: node.at("run"),
    netDir: node.at("net.d"),
    orchconfig: {
      ...{ host: "", port: "", protocol: "https", skipTlsVerify: false, mode: 0o600 },
      tokenFile: node.at("account/token"),
      caFile: node.at("account/ca.crt"),
    },
    confName: "",
    chained: true,
    entry: {
      logLevel: "",
      excludeNamespaces: [],
      podNamespace: "",
      template: "",
      templateFrom: "",
    },
    instance: "removal",
  };
}
