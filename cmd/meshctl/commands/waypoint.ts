/**
 * Commands about waypoints.
 *
 * @module
 */
import type { CommandSpec, Invocation } from "../../../lib/kit/cli/mod.ts";
import { flag, REVISION } from "./flags.ts";

const NAME = flag("name", "string", "Name of the waypoint", { default: "waypoint" });
const FOR = flag("for", "string", "Traffic that the waypoint handles", {
  choices: ["all", "none", "service", "workload"],
});
const ALL_NAMESPACES = flag("all-namespaces", "bool", "All namespaces", { short: "A" });

/** `waypoint` and its sub-commands. */
export const waypoint: CommandSpec = {
  name: "waypoint",
  summary: "Commands about waypoints",
  description:
    "A waypoint is a proxy for the services or workloads of ambient mode that name it by\n" +
    "the label mesh.io/use-waypoint. It applies routes, and policies about requests.",
  commands: [
    {
      name: "apply",
      summary: "Create a waypoint",
      examples: [
        "meshctl waypoint apply -n shop --enroll-namespace --wait",
        "meshctl waypoint apply -n shop --name inner --for workload",
      ],
      flags: [
        NAME,
        flag("enroll-namespace", "bool", "Label the namespace with the name of the waypoint"),
        FOR,
        flag("overwrite", "bool", "Replace the label of the namespace"),
        REVISION,
        flag("wait", "bool", "Wait until the waypoint is ready", { short: "w" }),
      ],
      run: async (call) => (await waypoints()).applyWaypoint(call, await opener(call)),
    },
    {
      name: "generate",
      summary: "Print a waypoint",
      examples: ["meshctl waypoint generate --for all | kubectl apply -n shop -f -"],
      flags: [NAME, FOR, REVISION],
      run: async (call) => (await waypoints()).generateWaypoint(call),
    },
    {
      name: "delete",
      summary: "Delete waypoints",
      examples: ["meshctl waypoint delete inner -n shop", "meshctl waypoint delete --all -n shop"],
      args: [{ name: "name", description: "Waypoints", optional: true, variadic: true }],
      flags: [
        NAME,
        flag("all", "bool", "All waypoints of the namespace"),
        { ...REVISION, description: "Waypoints with the label of a revision" },
      ],
      run: async (call) => (await waypoints()).deleteWaypoints(call, await opener(call)),
    },
    {
      name: "list",
      summary: "List waypoints",
      examples: ["meshctl waypoint list -A"],
      flags: [NAME, ALL_NAMESPACES],
      run: async (call) => (await waypoints()).listWaypoints(call, await opener(call)),
    },
    {
      name: "status",
      summary: "Show the status of waypoints",
      examples: ["meshctl waypoint status -n shop", "meshctl waypoint status inner -n shop --wait"],
      args: [{ name: "name", description: "Waypoint", optional: true }],
      flags: [
        NAME,
        ALL_NAMESPACES,
        flag("wait", "bool", "Wait until the waypoints are ready", { short: "w" }),
        flag("waypoint-timeout", "duration", "Longest wait", { default: "90s" }),
      ],
      run: async (call) => (await waypoints()).showWaypointStatus(call, await opener(call)),
    },
  ],
};

function waypoints() {
  return import("../../../lib/cluster/waypoints/mod.ts");
}

async function opener(call: Invocation) {
  const { openCluster } = await import("../../../lib/insight/cluster_access/mod.ts");
  return () => openCluster(call);
}
