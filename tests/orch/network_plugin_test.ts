/**
 * The network plugin as container runtimes call it: `cnitool` with real plugins before it, a real API
 * server, the kernel's packet filter.
 */
import assert from "node:assert/strict";
import { createObject, type OrchClient, types } from "../../lib/kit/orch/mod.ts";
import { eventually } from "../../scripts/harness/mod.ts";
import { run } from "../e2e/redirect/network.ts";
import { adminClient, clusterTest } from "../support/cluster.ts";
import { ensureNamespace } from "../support/service_accounts.ts";
import { missingForPlugin, type NetworkName, type PluginNode, pluginNode } from "./plugin/node.ts";
import { addCall, createPod, entryOf } from "./plugin/pod.ts";

const LACKING = missingForPlugin();
const VERSIONS = ["0.3.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0"];

function rulesOf(space: string, program = "iptables-nft-save"): Promise<string> {
  return run("ip", "netns", "exec", space, program);
}

interface Fault {
  readonly code: number;
  readonly msg: string;
  readonly details?: string;
}

clusterTest(
  "cnitool adds, checks and removes pods behind other plugins, in every version",
  async (cluster, t) => {
    using client = await adminClient(cluster);
    await ensureNamespace(client, "shop");
    await createObject(client, types.SERVICE_ACCOUNT, {
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { name: "default", namespace: "shop" },
    });
    await using node = await pluginNode();
    const stop = await node.agent(client);
    const given = { client, node };
    for (const [i, version] of VERSIONS.entries()) {
      for (const main of ["bridge", "ptp"] as const) {
        await t.step(
          `${version} behind ${main}`,
          () => verbs(given, version, main, `v${i}-${main}`),
        );
      }
    }
    await t.step("a wrong annotation is an error that names it", () => wrongAnnotation(given));
    await t.step("a pod that another one replaced is not captured", () => replaced(given));
    await t.step(
      "ADD again changes nothing, and restores rules that are missing",
      () => again(given),
    );
    await t.step("a namespace may be named by a process", () => byProcess(given));
    await t.step("calls at the same time", () => together(given));
    await t.step("rules by the old interface of the kernel", () => legacy(given));
    await t.step("bad calls have the codes of the standard", () => badCalls(given));
    await stop();
    await t.step("without the agent a pod with a sidecar waits", () => withoutAgent(given));
  },
  { missing: LACKING },
);

interface Given {
  readonly client: OrchClient;
  readonly node: PluginNode;
}

async function verbs(
  { client, node }: Given,
  version: string,
  main: NetworkName,
  name: string,
): Promise<void> {
  await node.network(name, version, main);
  const space = await node.space();
  const call = { network: name, space, pod: await createPod(client, name) };
  const added = await node.tool({ verb: "add", ...call });
  assert.ok(added.success, added.out + added.err);
  const result = JSON.parse(added.out);
  assert.equal(result.cniVersion, version);
  assert.match(result.ips[0].address, /^10\.88\./);
  assert.equal(result.ips[0].version, version.startsWith("0.") ? "4" : undefined);
  const rules = await rulesOf(space);
  assert.match(rules, /--to-ports 15001/);
  assert.match(rules, /--to-ports 15006/);
  for (const port of [15020, 15021, 15090]) assert.ok(rules.includes(`--dport ${port} -j RETURN`));
  if (version >= "0.4.0") {
    const checked = await node.tool({ verb: "check", ...call });
    assert.ok(checked.success, checked.out + checked.err);
    await run("ip", "netns", "exec", space, "iptables-nft", "-t", "nat", "-F", "MESH_REDIRECT");
    const found = await node.tool({ verb: "check", ...call });
    assert.ok(!found.success);
    assert.match(found.out + found.err, /MESH_REDIRECT/);
  }
  if (version === "1.1.0") {
    for (const verb of ["status", "gc"] as const) {
      const { success, out, err } = await node.tool({ verb, ...call });
      assert.ok(success, `${verb}: ${out}${err}`);
    }
  }
  const removed = await node.tool({ verb: "del", ...call });
  assert.ok(removed.success, removed.out + removed.err);
  await run("ip", "netns", "del", space);
  const later = await node.tool({ verb: "del", ...call });
  assert.ok(later.success, later.out + later.err);
}

async function wrongAnnotation({ client, node }: Given): Promise<void> {
  await node.network("wrong", "1.0.0", undefined);
  const annotations = {
    "sidecar.mesh.io/status": "{}",
    "traffic.sidecar.mesh.io/excludeOutboundPorts": "80,http",
  };
  const space = await node.space();
  const call = { network: "wrong", space, pod: await createPod(client, "wrong", annotations) };
  const { success, out, err } = await node.tool({ verb: "add", ...call });
  assert.ok(!success);
  const text = out + err;
  for (
    const part of ["shop/wrong", "traffic.sidecar.mesh.io/excludeOutboundPorts", "http", "Give"]
  ) {
    assert.ok(text.includes(part), `${part} is not in ${text}`);
  }
  assert.doesNotMatch(await rulesOf(space), /MESH/);
}

async function replaced({ client, node }: Given): Promise<void> {
  await node.network("replaced", "1.0.0", undefined);
  await createPod(client, "replaced", {});
  const space = await node.space();
  const call = { network: "replaced", space, pod: "shop/replaced/0-1-2" };
  const { success, out, err } = await node.tool({ verb: "add", ...call });
  assert.ok(!success);
  assert.match(out + err, /another pod has its name/);
  const gone = await node.tool({ verb: "add", ...call, pod: "shop/gone/0-1-2" });
  assert.match(gone.out + gone.err, /there is no such pod/);
}

/** The variables of a call of the helper. */
function variables(command: string, space: string, pod: string): Record<string, string> {
  return { ...addCall(space, pod), CNI_COMMAND: command };
}

async function again({ client, node }: Given): Promise<void> {
  const space = await node.space();
  const env = variables("ADD", space, await createPod(client, "again"));
  const add = async (): Promise<string> => {
    const { success, out } = await node.helper(env, entryOf(node));
    assert.ok(success, out);
    return (await rulesOf(space)).replaceAll(/^#.*\n|\[\d+:\d+\]/gm, "");
  };
  const first = await add();
  assert.equal(await add(), first);
  await run("ip", "netns", "exec", space, "iptables-nft", "-t", "nat", "-F", "MESH_REDIRECT");
  assert.equal(await add(), first);
}

async function byProcess({ client, node }: Given): Promise<void> {
  const space = await node.space();
  const args = ["netns", "exec", space, "sleep", "infinity"];
  const child = new Deno.Command("ip", { args }).spawn();
  try {
    const ino = async (path: string) => (await Deno.stat(path)).ino;
    const netns = `/proc/${child.pid}/ns/net`;
    await eventually("the process is in its namespace", async () => {
      return await ino(netns) === await ino(`/run/netns/${space}`);
    });
    const env = variables("ADD", space, await createPod(client, "process"));
    const { success, out } = await node.helper({ ...env, CNI_NETNS: netns }, entryOf(node));
    assert.ok(success, out);
    assert.match(await rulesOf(space), /--to-ports 15006/);
  } finally {
    child.kill("SIGKILL");
    await child.status;
  }
}

async function together({ client, node }: Given): Promise<void> {
  const spaces = await Promise.all(Array.from({ length: 4 }, () => node.space()));
  const pods = await Promise.all(spaces.map((_, i) => createPod(client, `together-${i}`)));
  const calls = spaces.flatMap((space, i) =>
    ["ADD", "ADD", "DEL", "ADD"].map((command) => variables(command, space, pods[i] ?? ""))
  );
  const ends = await Promise.all(calls.map((env) => node.helper(env, entryOf(node))));
  for (const { success, out } of ends) assert.ok(success, out);
  const rules = await Promise.all(spaces.map((space) => rulesOf(space)));
  for (const text of rules) {
    assert.equal(text.match(/^-A OUTPUT -p tcp -j MESH_OUTPUT$/gm)?.length, 1, text);
  }
}

async function legacy({ client, node }: Given): Promise<void> {
  const space = await node.space();
  // A rule that is there decides for the interface.
  const other = ["-t", "nat", "-N", "OTHER"];
  await run("ip", "netns", "exec", space, "iptables-legacy", ...other);
  const { success, out } = await node.helper(
    variables("ADD", space, await createPod(client, "legacy")),
    entryOf(node),
  );
  assert.ok(success, out);
  const rules = await rulesOf(space, "iptables-legacy-save");
  assert.match(rules, /--to-ports 15001/);
  assert.match(rules, /:OTHER/);
  assert.doesNotMatch(await rulesOf(space), /MESH/);
}

async function badCalls({ client, node }: Given): Promise<void> {
  const space = await node.space();
  const ref = await createPod(client, "bad");
  const add = variables("ADD", space, ref);
  const cases: [code: number, env: Record<string, string>, stdin: string][] = [
    [1, add, entryOf(node, { cniVersion: "9.9.9" })],
    [2, add, entryOf(node, { ambient_enabled: true })],
    [3, { ...add, CNI_NETNS: "/var/run/netns/mesh-none" }, entryOf(node)],
    [4, { ...add, CNI_NETNS: "/etc/passwd" }, entryOf(node)],
    [4, { ...add, CNI_NETNS: `/var/run/netns/../netns/${space}` }, entryOf(node)],
    [4, { ...add, CNI_NETNS: "/proc/1/ns/net" }, entryOf(node)],
    [4, { ...add, CNI_NETNS: "" }, entryOf(node)],
    [4, { ...add, CNI_COMMAND: "SUB" }, entryOf(node)],
    [4, { ...add, CNI_ARGS: "K8S_POD_NAME=a" }, entryOf(node)],
    [4, { ...add, CNI_ARGS: "K8S_POD_NAMESPACE=../x;K8S_POD_NAME=a" }, entryOf(node)],
    [
      6,
      add,
      entryOf(node).replace(
        '"prevResult":{',
        `"x":${"[".repeat(100)}1${"]".repeat(100)},"prevResult":{`,
      ),
    ],
    [7, add, entryOf(node, { exclude_namespaces: "kube-system" })],
    [7, add, entryOf(node, { prevResult: [] })],
    [11, { ...add, CNI_ARGS: "K8S_POD_NAMESPACE=shop;K8S_POD_NAME=none" }, entryOf(node)],
  ];
  for (const [code, env, stdin] of cases) {
    const { success, out } = await node.helper(env, stdin);
    const fault: Fault = JSON.parse(out);
    assert.ok(!success && fault.code === code, `${code} was expected: ${out}`);
    assert.ok(fault.details, out);
    const { success: removed, out: said } = await node.helper(
      { ...env, CNI_COMMAND: "DEL" },
      stdin,
    );
    assert.ok(removed, said);
  }
  assert.doesNotMatch(await rulesOf(space), /MESH/);
}

async function withoutAgent({ client, node }: Given): Promise<void> {
  const space = await node.space();
  await assert.rejects(Deno.stat(`${node.runDir}/pluginevent.sock`), Deno.errors.NotFound);
  const waits = variables("ADD", space, await createPod(client, "waits"));
  const fault: Fault = JSON.parse((await node.helper(waits, entryOf(node))).out);
  assert.equal(fault.code, 11);
  const passes = variables("ADD", space, "kube-system/dns/u");
  const excluded = entryOf(node, { exclude_namespaces: ["kube-system"] });
  assert.ok((await node.helper(passes, excluded)).success);
  // The answer to VERSION is the same from the helper and from the agent.
  const version = await node.helper({ CNI_COMMAND: "VERSION" }, entryOf(node));
  const stop = await node.agent(client);
  const path = `${node.runDir}/pluginevent.sock`;
  using socket = Deno.createHttpClient({ proxy: { transport: "unix", path } });
  const answer = await fetch("http://agent/cni", {
    method: "POST",
    client: socket,
    body: JSON.stringify({ env: { CNI_COMMAND: "VERSION" }, stdin: entryOf(node) }),
  });
  assert.deepEqual(JSON.parse((await answer.json()).stdout), JSON.parse(version.out));
  await stop();
}
