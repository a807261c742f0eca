/**
 * Commands in containers of a report.
 *
 * @module
 */
import { MeshError, messageOf } from "../../kit/base/mod.ts";
import { execInPod, type ExecResult, OrchError } from "../../kit/orch/mod.ts";
import type { ClusterAccess } from "./access.ts";
import type { Pod } from "./pods.ts";

/** Longest run of a command, in milliseconds. */
const COMMAND_MS = 30_000;

export interface ContainerName {
  readonly pod: Pod;
  readonly container: string;
}

/** State of the network: names of files, and commands of which the first that exists is run. */
export const NETWORK_COMMANDS: readonly (readonly [file: string, ...commands: string[][]])[] = [
  ["iptables", ["iptables-save"]],
  ["ip6tables", ["ip6tables-save"]],
  ["netstat", ["netstat", "-natpw"], ["ss", "-natp"]],
];

/**
 * Runs a command in a container.
 *
 * @throws {MeshError} `orch-exec-failed` if it cannot be started; `command-failed` with its last line
 * for a status other than 0; `OrchError` if the API server refuses
 */
export async function runInContainer(
  { access, signal }: ClusterAccess,
  { pod, container }: ContainerName,
  command: readonly string[],
): Promise<string> {
  const limit = AbortSignal.timeout(COMMAND_MS);
  const { metadata: { name, namespace = "" } } = pod;
  let result: ExecResult;
  try {
    result = await execInPod({
      ...{ access, container, command },
      pod: { namespace, name },
      signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
    });
  } catch (error) {
    if (!limit.aborted || signal?.aborted) throw error;
    throw new MeshError("command-failed", `${command[0]}: no end within ${COMMAND_MS / 1000} s`);
  }
  const { stdout, stderr, status } = result;
  if (status === 0) return stdout;
  const reason = stderr.trim().split("\n").at(-1) ?? "";
  throw new MeshError("command-failed", `${command[0]} ended with status ${status}: ${reason}`);
}

/**
 * Output of the first command that the container has; a text that says so if it has none of them.
 *
 * @throws {OrchError} if the API server refuses
 */
export async function firstOutput(
  cluster: ClusterAccess,
  place: ContainerName,
  commands: readonly (readonly string[])[],
): Promise<string> {
  const reasons: string[] = [];
  for (const command of commands) {
    try {
      return await runInContainer(cluster, place, command);
    } catch (error) {
      cluster.signal?.throwIfAborted();
      if (error instanceof OrchError) throw error;
      reasons.push(`# ${messageOf(error)}\n`);
    }
  }
  return reasons.join("");
}
