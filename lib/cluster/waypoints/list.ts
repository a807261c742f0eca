/**
 * The list of waypoints.
 *
 * @module
 */
import { type Invocation, tableText } from "../../kit/cli/mod.ts";
import { REVISION_LABEL } from "../../mesh/model/mod.ts";
import { programmed, WAYPOINT_FOR, type WaypointCluster, waypointsIn } from "./objects.ts";

/** Lists waypoints. The type of traffic has a column where one of them names it. */
export async function listWaypoints(
  { flags, io }: Invocation,
  open: () => Promise<WaypointCluster>,
): Promise<number> {
  using cluster = await open();
  const everywhere = flags.bool("all-namespaces");
  const all = await waypointsIn(cluster, everywhere ? undefined : cluster.namespace);
  const found = all.filter(({ metadata }) =>
    !flags.given.has("name") || metadata.name === flags.string("name")
  );
  if (found.length === 0) {
    io.out("No waypoints found.\n");
    return 0;
  }
  const types = found.some(({ metadata }) => metadata.labels?.[WAYPOINT_FOR] !== undefined);
  const head = [
    ...everywhere ? ["NAMESPACE"] : [],
    "NAME",
    "REVISION",
    ...types ? ["TRAFFIC TYPE"] : [],
    "PROGRAMMED",
  ];
  const rows = found.map((one) => {
    const { name, namespace = "", labels = {} } = one.metadata;
    return [
      ...everywhere ? [namespace] : [],
      name,
      labels[REVISION_LABEL] ?? "default",
      ...types ? [labels[WAYPOINT_FOR] ?? "service"] : [],
      programmed(one)?.status ?? "Unknown",
    ];
  });
  io.out(tableText(head, rows));
  return 0;
}
