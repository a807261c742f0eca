/**
 * `kubectl` for the tasks: what fails is an error with the reason.
 *
 * @module
 */
import type { NodeCluster } from "./running.ts";

/** Longest time until Deployments are ready. */
const ROLLOUT_TIME = "180s";
/** Characters of events in an error. */
const EVENTS_END = 3_000;

/** Runs `kubectl`, which must succeed, and returns its output. */
export async function kubectl(
  cluster: NodeCluster,
  args: readonly string[],
  input?: string,
): Promise<string> {
  const { success, stdout, stderr } = await cluster.run(args, input);
  if (!success) throw new Error(`kubectl ${args.join(" ")}: ${stdout}${stderr}`);
  return stdout.trim();
}

/** Waits until all pods of Deployments are ready, else tells the events of the namespace. */
export async function rolledOut(
  cluster: NodeCluster,
  namespace: string,
  deployments: readonly string[],
): Promise<void> {
  for (const name of deployments) {
    const status = ["rollout", "status", `deploy/${name}`, "-n", namespace];
    const { success, stderr } = await cluster.run([...status, `--timeout=${ROLLOUT_TIME}`]);
    if (success) continue;
    const pods = await cluster.run(["get", "pods", "-n", namespace]);
    const events = ["get", "events", "-n", namespace, "--sort-by=.lastTimestamp"];
    const { stdout } = await cluster.run(events);
    throw new Error(`${stderr.trim()}\n${pods.stdout}${stdout.slice(-EVENTS_END)}`);
  }
}
