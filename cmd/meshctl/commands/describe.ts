import type { CommandSpec, FlagSpec } from "../../../lib/kit/cli/mod.ts";
import { flag, REVISION, XDS_FLAGS } from "./flags.ts";
import { POD } from "./proxy.ts";

const DESCRIBE_FLAGS: readonly FlagSpec[] = [
  flag("ignoreUnmeshed", "bool", "Say nothing about pods without proxy"),
  REVISION,
  ...XDS_FLAGS,
];

/** `experimental describe` and its sub-commands. */
export const describe: CommandSpec = {
  name: "describe",
  aliases: ["des"],
  summary: "Describe a pod or a service in words",
  commands: [
    {
      name: "pod",
      summary: "Describe a pod: its services, routes, rules and security",
      description:
        "Describes a pod by the objects of the cluster, and its proxy by what the daemon serves to it.",
      examples: [
        "meshctl x describe pod web-1.shop",
        "meshctl x describe pod deployment/web -n shop",
      ],
      args: [{ ...POD, optional: false }],
      flags: DESCRIBE_FLAGS,
      run: async (call) =>
        await (await import("../../../lib/insight/describe/mod.ts")).describePodCommand(call),
    },
    {
      name: "service",
      aliases: ["svc"],
      summary: "Describe a service: its ports, routes, rules and security",
      description:
        "Describes a service by the objects of the cluster, and the proxy of one of its pods by what\n" +
        "the daemon serves to it.",
      examples: ["meshctl x describe service web.shop"],
      args: [{
        name: "service",
        description: "<name>[.<namespace>]",
        candidates: async (request) =>
          await (await import("../../../lib/insight/cluster_access/mod.ts")).serviceNames(request),
      }],
      flags: DESCRIBE_FLAGS,
      run: async (call) =>
        await (await import("../../../lib/insight/describe/mod.ts")).describeServiceCommand(call),
    },
  ],
};
