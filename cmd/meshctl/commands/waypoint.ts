/**
 * Commands about waypoints and the node proxy. None is implemented; their flags and help are there.
 *
 * @module
 */
import type { CommandSpec } from "../../../lib/kit/cli/mod.ts";
import { flag, REVISION } from "./flags.ts";
import { AMBIENT_REMEDY, notYet, type Outline } from "./not_yet.ts";

const NAME = flag("name", "string", "Name of the waypoint", { default: "waypoint" });
const FOR = flag("for", "string", "Traffic that the waypoint handles", {
  choices: ["all", "none", "service", "workload"],
});
const ALL_NAMESPACES = flag("all-namespaces", "bool", "All namespaces", { short: "A" });

const ambient = (outline: Outline): CommandSpec => notYet(outline, AMBIENT_REMEDY);

/** `waypoint` and its sub-commands. */
export const waypoint: CommandSpec = {
  name: "waypoint",
  summary: "Commands about waypoints",
  commands: [
    ambient({
      name: "apply",
      summary: "Create a waypoint",
      flags: [
        NAME,
        flag("enroll-namespace", "bool", "Label the namespace with the name of the waypoint"),
        FOR,
        flag("overwrite", "bool", "Replace the label of the namespace"),
        REVISION,
        flag("wait", "bool", "Wait until the waypoint is ready", { short: "w" }),
      ],
    }),
    ambient({ name: "generate", summary: "Print a waypoint", flags: [NAME, FOR, REVISION] }),
    ambient({
      name: "delete",
      summary: "Delete waypoints",
      args: [{ name: "name", description: "Waypoints", optional: true, variadic: true }],
      flags: [NAME, flag("all", "bool", "All waypoints of the namespace")],
    }),
    ambient({ name: "list", summary: "List waypoints", flags: [NAME, ALL_NAMESPACES] }),
    ambient({
      name: "status",
      summary: "Show the status of waypoints",
      args: [{ name: "name", description: "Waypoint", optional: true }],
      flags: [
        NAME,
        ALL_NAMESPACES,
        flag("wait", "bool", "Wait until the waypoints are ready", { short: "w" }),
        flag("waypoint-timeout", "duration", "Longest wait", { default: "90s" }),
      ],
    }),
  ],
};
