/**
 * Clusters with nodes leave nothing: after their end, after a killed run, and with others beside
 * them.
 *
 * @module
 */
import assert from "node:assert/strict";
import { startNodes } from "../../scripts/cluster/node/cluster.ts";
import { processId, readRecords } from "../../scripts/cluster/node/record.ts";
import { closeSpace, isLink, openSpaces, sweepSpaces } from "../../scripts/cluster/node/space.ts";
import { output } from "../../scripts/cluster/node/commands.ts";
import { nodePrograms } from "../../scripts/cluster/node_programs.ts";
import { eventually, startCommand } from "../../scripts/harness/mod.ts";
import {
  apply,
  clusterName,
  deployment,
  kubectl,
  nodeMachineTest,
  nodeTest,
  podsReady,
  temporaryFolder,
  workloadArchive,
  workloadContainer,
} from "../support/node.ts";

const TASK = new URL("../../scripts/cluster/node/task.ts", import.meta.url).pathname;

const sleeper = deployment("sleeper", workloadContainer(["sleep", "1h"]));

/** The traces of a cluster on the machine. Its processes have its folder among their arguments. */
async function traces(name: string, link: string): Promise<string[]> {
  const found: string[] = [];
  const { stdout } = await output(["ps", "-eo", "args"]);
  found.push(...stdout.split("\n").filter((line) => line.includes(`clusters/${name}/`)));
  found.push(
    ...(await Deno.readTextFile("/proc/mounts")).split("\n").filter((m) => m.includes(name)),
  );
  const groups = await output(["find", "/sys/fs/cgroup", "-name", `mesh-${name}`]);
  found.push(...groups.stdout.split("\n").filter((line) => line !== ""));
  if (isLink(link)) found.push(link);
  if ((await readRecords()).some((record) => record.name === name)) found.push("its folder");
  return found;
}

/** Runs the task and returns its output, which must have the status. */
async function task(args: readonly string[], status = 0, cwd?: string): Promise<string> {
  const run = { args: ["run", "-A", "-q", TASK, ...args], cwd };
  const command = new Deno.Command(Deno.execPath(), run);
  const { code, stdout, stderr } = await command.output();
  const text = new TextDecoder();
  assert.equal(code, status, text.decode(stderr));
  return text.decode(stdout) + text.decode(stderr);
}

nodeMachineTest(
  "the task: up outlives its process, status shows it, down leaves nothing",
  async () => {
    await using folder = await temporaryFolder();
    await workloadArchive(folder.path);
    const name = clusterName();
    try {
      const args = ["up", name, "--nodes=2", "--image=workload.tar"];
      const said = await task(args, 0, folder.path);
      const kubeconfig = /export KUBECONFIG=(\S+)/.exec(said)?.[1];
      assert.ok(kubeconfig !== undefined, said);
      assert.match(await task(["up", name], 1), /There is a cluster .* already/);
      const seen = await task(["status", name]);
      assert.match(seen, /node-1 +True +10\.99\.0\.11[^]*node-2 +True +10\.99\.0\.12/);
      const [record] = (await readRecords()).filter((one) => one.name === name);
      const { kubectl: program } = await nodePrograms();
      const pod = await output(
        [program, `--kubeconfig=${kubeconfig}`, "apply", "-f", "-"],
        JSON.stringify(sleeper),
      );
      assert.ok(pod.success, pod.stderr);
      const ready = ["rollout", "status", "deploy/sleeper", "--timeout=60s"];
      const rollout = await output([program, `--kubeconfig=${kubeconfig}`, ...ready]);
      assert.ok(rollout.success, rollout.stderr);
      assert.notDeepEqual(await traces(name, record!.link!), []);
      assert.match(await task(["down", name]), new RegExp(`${name} is down`));
      assert.deepEqual(await traces(name, record!.link!), []);
      assert.match(await task(["status", name], 1), /there is no cluster/);
    } finally {
      const left = (await openSpaces()).filter(({ record }) => record.name === name);
      for (const space of left) await closeSpace(space);
    }
  },
);

nodeMachineTest("the task: wrong words are refused with its usage", async () => {
  for (const args of [[], ["sideways"], ["up", "--nodes=x"], ["up", "a", "b"], ["up", "--fast"]]) {
    assert.match(await task(args, 1), /Usage: deno task cluster/, args.join(" "));
  }
  assert.match(await task(["up", "Not_A_Name"], 1), /lower case/);
  assert.match(await task(["up", "--image=/nowhere.tar"], 1), /nowhere\.tar cannot be read/);
  assert.match(await task(["up", "--nodes=10"], 1), /1 to 9 nodes/);
});

nodeTest("two clusters at once have the same addresses and do not meet", async (first) => {
  await using folder = await temporaryFolder();
  const images = [await workloadArchive(folder.path)];
  const name = clusterName();
  let link: string;
  {
    await using second = await startNodes({ name, nodes: 1, isDetached: false, images });
    link = second.space.record.link!;
    assert.notEqual(second.server, first.server);
    await apply(second, sleeper);
    await podsReady(second, "app=sleeper");
    assert.equal(await kubectl(first, ["get", "pods", "-A", "-o=name"]), "");
    await apply(first, sleeper);
    await podsReady(first, "app=sleeper");
  }
  assert.deepEqual(await traces(name, link), []);
  assert.match(await kubectl(first, ["get", "pods"]), /Running/);
});

nodeMachineTest(
  "a killed run: its processes end with it, the next run removes the rest",
  async () => {
    await using folder = await temporaryFolder();
    const archive = await workloadArchive(folder.path);
    const name = clusterName();
    const program = `
    import { startNodes } from ${
      JSON.stringify(new URL("../../scripts/cluster/node/cluster.ts", import.meta.url))
    };
    const cluster = await startNodes({ name: "${name}", nodes: 2, isDetached: false, images: ["${archive}"] });
    await cluster.run(["apply", "-f", "-"], ${JSON.stringify(JSON.stringify(sleeper))});
    await cluster.run(["rollout", "status", "deploy/sleeper", "--timeout=60s"]);
    console.log("pod runs");
    await new Promise((resolve) => setTimeout(resolve, 600_000));`;
    const file = `${folder.path}/run.ts`;
    await Deno.writeTextFile(file, program);
    await using run = startCommand(Deno.execPath(), ["run", "-A", "-q", "--no-check", file]);
    await run.printed("pod runs");
    const [record] = (await readRecords()).filter((one) => one.name === name);
    run.kill("SIGKILL");
    await run.status;
    await eventually("its processes to end", () => processId(record!.init!.pid) === undefined);
    await sweepSpaces();
    assert.deepEqual(await traces(name, record!.link!), []);
  },
);

nodeMachineTest("a killed `up` that was not ready: the next one starts from nothing", async () => {
  const name = clusterName();
  try {
    const args = ["run", "-A", "-q", TASK, "up", name];
    await using up = startCommand(Deno.execPath(), args);
    const link = await eventually("its namespaces", async () => {
      return (await readRecords()).find((one) => one.name === name)?.link;
    });
    up.kill("SIGKILL");
    await up.status;
    assert.match(await task(["down", name]), new RegExp(`removed what was left of ${name}`));
    assert.deepEqual(await traces(name, link), []);
  } finally {
    await sweepSpaces();
  }
});

nodeMachineTest("an interrupted `up` removes what it made before it ends", async () => {
  const name = clusterName();
  await using up = startCommand(Deno.execPath(), ["run", "-A", "-q", TASK, "up", name]);
  const link = await eventually("its namespaces", async () => {
    return (await readRecords()).find((one) => one.name === name)?.link;
  });
  up.kill("SIGINT");
  assert.equal((await up.status).code, 1);
  assert.match(up.output(), /Interrupted; nothing is left/);
  assert.deepEqual(await traces(name, link), []);
});
