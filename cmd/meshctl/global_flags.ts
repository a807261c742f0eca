import { type FlagSpec, VKLOG_FLAG } from "../../lib/kit/cli/mod.ts";
import { MESHCTL_MESHNAMESPACE } from "./variables.ts";

/** Flags that every command of `meshctl` has. */
export const GLOBAL_FLAGS: readonly FlagSpec[] = [
  {
    name: "as",
    type: "string",
    description: "User to act as towards the orchestrator, a person or a service account",
  },
  {
    name: "as-group",
    type: "stringArray",
    description: "Group to act as towards the orchestrator; may be repeated",
  },
  { name: "as-uid", type: "string", description: "UID to act as towards the orchestrator" },
  {
    name: "context",
    type: "string",
    description: "Context of the orchestrator configuration to use",
    candidates: async (request) =>
      await (await import("../../lib/insight/cluster_access/mod.ts")).contextNames(request),
  },
  {
    name: "meshNamespace",
    short: "i",
    type: "string",
    default: "mesh-system",
    env: MESHCTL_MESHNAMESPACE.name,
    description: "Namespace of the mesh's own workloads",
    candidates: async (request) =>
      await (await import("../../lib/insight/cluster_access/mod.ts")).namespaceNames(request),
  },
  {
    name: "orchconfig",
    short: "c",
    type: "string",
    complete: "file",
    description: "Orchestrator configuration file",
  },
  {
    name: "orchclient-timeout",
    type: "duration",
    default: "15s",
    description: "Longest wait for an answer of the orchestrator",
  },
  {
    name: "namespace",
    short: "n",
    type: "string",
    description: "Default namespace",
    candidates: async (request) =>
      await (await import("../../lib/insight/cluster_access/mod.ts")).namespaceNames(request),
  },
  VKLOG_FLAG,
];
