/**
 * Commands that make and remove waypoints.
 *
 * @module
 */
import { MeshError, printable } from "../../kit/base/mod.ts";
import { type Invocation, usageError } from "../../kit/cli/mod.ts";
import {
  applyObject,
  deleteObject,
  getObject,
  isNotFound,
  mergePatch,
  type OrchObject,
  types,
} from "../../kit/orch/mod.ts";
import { isDnsSubdomain, labelValueFault, toYaml } from "../../kit/text/mod.ts";
import {
  GATEWAY,
  NO_WAYPOINT,
  USE_WAYPOINT,
  type WaypointCluster,
  waypointObject,
  waypointsIn,
  type WaypointWish,
} from "./objects.ts";
import { waitForWaypoints } from "./status.ts";

/** Label of namespaces in ambient mode. */
const MODE = { label: "mesh.io/dataplane-mode", ambient: "ambient" };
/** Longest wait for a new waypoint, ms. */
const READY_MS = 90_000;
/** Manager of the fields. */
const MANAGER = "meshctl";

function wishOf({ flags }: Invocation, namespace: string): WaypointWish {
  const name = flags.string("name");
  if (name === NO_WAYPOINT) {
    throw usageError(
      `the name "${NO_WAYPOINT}" is reserved: as a label it means no waypoint`,
      "Choose another name by --name.",
    );
  }
  // Values of labels name waypoints.
  if (!isDnsSubdomain(name) || labelValueFault(name) !== undefined) {
    throw usageError(
      `"${name}" is no name of a waypoint`,
      "Give --name at most 63 lower-case letters, digits, dashes and dots, such as shop-waypoint.",
    );
  }
  return {
    name,
    namespace,
    traffic: flags.string("for"),
    revision: flags.given.has("revision") ? flags.string("revision") : "",
  };
}

/** Prints the Gateway of a waypoint. */
export function generateWaypoint(call: Invocation): number {
  call.io.out(toYaml(waypointObject(wishOf(call, call.flags.string("namespace")))));
  return 0;
}

/** Creates a waypoint, or changes it. */
export async function applyWaypoint(
  call: Invocation,
  open: () => Promise<WaypointCluster>,
): Promise<number> {
  const { flags, io } = call;
  using cluster = await open();
  const { client, namespace } = cluster;
  const wish = wishOf(call, namespace);
  const enroll = flags.bool("enroll-namespace");
  if (enroll) await checkNamespace(call, cluster, wish.name);
  await applyObject(client, GATEWAY, waypointObject(wish), { manager: MANAGER, force: true });
  io.out(printable(`✅ waypoint ${namespace}/${wish.name} applied`) + "\n");
  if (flags.bool("wait")) {
    await waitForWaypoints(cluster, { namespace, name: wish.name }, READY_MS);
    io.out(printable(`✅ waypoint ${namespace}/${wish.name} is ready!`) + "\n");
  }
  if (!enroll) return 0;
  await mergePatch(client, types.NAMESPACE, { name: namespace }, {
    metadata: { labels: { [USE_WAYPOINT]: wish.name } },
  });
  io.out(
    printable(`✅ namespace ${namespace} labeled with "${USE_WAYPOINT}: ${wish.name}"`) + "\n",
  );
  return 0;
}

/** A namespace with another waypoint keeps it; one that is not in ambient mode is warned about. */
async function checkNamespace(
  { flags, io }: Invocation,
  { client, namespace }: WaypointCluster,
  name: string,
): Promise<void> {
  const found = await getObject<OrchObject>(client, types.NAMESPACE, { name: namespace })
    .catch((error) => {
      if (!isNotFound(error)) throw error;
      throw new MeshError("namespace-unknown", printable(`there is no namespace ${namespace}`), {
        remedy: "Create it, or name another one by -n.",
      });
    });
  const { labels = {} } = found.metadata;
  const current = labels[USE_WAYPOINT] ?? "";
  if (current !== "" && current !== name && !flags.bool("overwrite")) {
    throw new MeshError(
      "waypoint-label",
      printable(`the namespace ${namespace} has the label ${USE_WAYPOINT}=${current} already`),
      { remedy: "Add --overwrite to replace it." },
    );
  }
  if (labels[MODE.label] === MODE.ambient) return;
  io.err(
    printable(
      `Warning: the namespace ${namespace} is not in ambient mode: its workloads use no waypoint ` +
        `until it has the label ${MODE.label}=${MODE.ambient}`,
    ) + "\n",
  );
}

/** Removes waypoints: those that are named, those of a revision, or all of the namespace. */
export async function deleteWaypoints(
  call: Invocation,
  open: () => Promise<WaypointCluster>,
): Promise<number> {
  const { args, flags, io } = call;
  const named = flags.given.has("name") ? [...args, flags.string("name")] : [...args];
  const all = flags.bool("all");
  const revision = flags.given.has("revision") ? flags.string("revision") : "";
  if (named.length > 0 && (all || revision !== "")) {
    throw usageError(
      `names and ${all ? "--all" : "--revision"} exclude each other`,
      "Name waypoints, or select them by the flag.",
    );
  }
  if (named.length === 0 && !all && revision === "") {
    throw usageError("no waypoint is named", "Name waypoints, or add --all or --revision.");
  }
  using cluster = await open();
  const { client, namespace } = cluster;
  const present = await waypointsIn(cluster, namespace);
  const chosen = named.length > 0
    ? named
    : present.filter(({ metadata: { labels = {} } }) => all || labels["mesh.io/rev"] === revision)
      .map(({ metadata }) => metadata.name);
  if (chosen.length === 0) io.out("No waypoints found.\n");
  const missing: string[] = [];
  for (const name of chosen) {
    // A Gateway of another class is not a waypoint.
    const known = present.some(({ metadata }) => metadata.name === name);
    const gone = !known || await deleteObject(client, GATEWAY, { namespace, name }).then(
      () => false,
      (error) => {
        if (isNotFound(error)) return true;
        throw error;
      },
    );
    if (gone) missing.push(name);
    else io.out(printable(`waypoint ${namespace}/${name} deleted`) + "\n");
  }
  if (missing.length === 0) return 0;
  throw new MeshError(
    "waypoint-unknown",
    printable(missing.map((name) => `waypoint ${namespace}/${name} not found`).join("; ")),
    { remedy: "meshctl waypoint list shows the waypoints of the namespace." },
  );
}
