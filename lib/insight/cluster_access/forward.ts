/**
 * Requests to ports of pods, over forwarded ports.
 *
 * @module
 */
import { MeshError, messageOf, printable } from "../../kit/base/mod.ts";
import { forwardPort, type PortForward } from "../../kit/orch/mod.ts";
import type { ClusterAccess } from "./access.ts";
import { type Pod, podId } from "./pods.ts";

/** Forwards a free local port to a port of a pod. */
export async function forwardTo(
  { access, signal, timeoutMs }: Pick<ClusterAccess, "access" | "signal" | "timeoutMs">,
  { metadata: { name, namespace = "" } }: Pod,
  port: number,
): Promise<PortForward> {
  return await forwardPort({
    access,
    pod: { namespace, name },
    port,
    ...signal !== undefined && { signal },
    timeoutMs,
  });
}

/**
 * Calls `use` with the base URL of a port of a pod.
 *
 * @throws {MeshError} `pod-port` if the connection fails, with the reason of the node
 */
export async function withPodPort<T>(
  cluster: ClusterAccess,
  pod: Pod,
  port: number,
  use: (base: string) => Promise<T>,
): Promise<T> {
  await using forward = await forwardTo(cluster, pod, port);
  try {
    return await use(`http://127.0.0.1:${forward.port}`);
  } catch (cause) {
    const fault = forward.fault();
    if (fault === undefined || cluster.signal?.aborted) throw cause;
    throw podPortError(pod, port, fault);
  }
}

/** The error of a port of a pod that cannot be reached. */
export function podPortError(pod: Pod, port: number, reason: unknown): MeshError {
  const text = typeof reason === "string" ? reason : messageOf(reason);
  return new MeshError(
    "pod-port",
    printable(`cannot reach port ${port} of pod ${podId(pod)}: ${text.trim()}`),
    { remedy: "Check that the pod runs, and that the program in it listens on this port." },
  );
}
