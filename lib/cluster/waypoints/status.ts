/**
 * The readiness of waypoints.
 *
 * @module
 */
import { MeshError, printable } from "../../kit/base/mod.ts";
import { type Invocation, tableText } from "../../kit/cli/mod.ts";
import { programmed, type WaypointCluster, type WaypointItem, waypointsIn } from "./objects.ts";

/** Waypoints: of one namespace or all, of one name or all. */
export interface WaypointChoice {
  readonly namespace: string | undefined;
  readonly name: string | undefined;
}

/** Time between looks, ms. */
const LOOK_MS = 500;

async function chosen(
  cluster: WaypointCluster,
  { namespace, name }: WaypointChoice,
): Promise<readonly WaypointItem[]> {
  const all = await waypointsIn(cluster, namespace);
  return name === undefined ? all : all.filter(({ metadata }) => metadata.name === name);
}

/**
 * Waits until waypoints are ready; returns them.
 *
 * @throws MeshError `waypoint-not-ready` at the end of the time
 */
export async function waitForWaypoints(
  cluster: WaypointCluster,
  choice: WaypointChoice,
  timeoutMs: number,
): Promise<readonly WaypointItem[]> {
  const end = Date.now() + timeoutMs;
  while (true) {
    const found = await chosen(cluster, choice);
    const waiting = found.filter((one) => programmed(one)?.status !== "True");
    if (waiting.length === 0) return found;
    if (Date.now() >= end) throw notReady(waiting);
    cluster.signal?.throwIfAborted();
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

function notReady(waiting: readonly WaypointItem[]): MeshError {
  const texts = waiting.map((one) => {
    const { metadata: { namespace, name } } = one;
    const message = programmed(one)?.message ?? "no daemon has taken it up";
    return `waypoint ${namespace}/${name} is not ready: ${message}`;
  });
  return new MeshError("waypoint-not-ready", printable(texts.join("; ")), {
    remedy: "Look at the pods of the waypoint, and at meshctl waypoint status.",
  });
}

export async function showWaypointStatus(
  { args, flags, io }: Invocation,
  open: () => Promise<WaypointCluster>,
): Promise<number> {
  using cluster = await open();
  const everywhere = flags.bool("all-namespaces");
  const name = args[0] ?? (flags.given.has("name") ? flags.string("name") : undefined);
  const choice = { namespace: everywhere ? undefined : cluster.namespace, name };
  const found = flags.bool("wait")
    ? await waitForWaypoints(cluster, choice, flags.number("waypoint-timeout"))
    : await chosen(cluster, choice);
  if (found.length === 0 && name !== undefined) {
    throw new MeshError(
      "waypoint-unknown",
      printable(`waypoint ${everywhere ? "" : `${cluster.namespace}/`}${name} not found`),
      { remedy: "meshctl waypoint list -A shows all waypoints." },
    );
  }
  if (found.length === 0) {
    io.out("No waypoints found.\n");
    return 0;
  }
  const head = ["NAME", "STATUS", "TYPE", "REASON", "MESSAGE"];
  const rows = found.map((one) => {
    const { metadata } = one;
    const { status = "Unknown", reason = "", message = "" } = programmed(one) ?? {};
    const cells = [metadata.name, status, "Programmed", reason, message];
    return everywhere ? [metadata.namespace ?? "", ...cells] : cells;
  });
  io.out(tableText(everywhere ? ["NAMESPACE", ...head] : head, rows));
  return 0;
}
