import type { CommandSpec } from "../../../lib/kit/cli/mod.ts";
import { flag } from "./flags.ts";

/** `experimental metrics`. */
export const metrics: CommandSpec = {
  name: "metrics",
  aliases: ["m"],
  summary: "Print request metrics of workloads",
  examples: ["meshctl x metrics web.shop --prometheus http://localhost:9090"],
  args: [{ name: "workload name", description: "<name>[.<namespace>]", variadic: true }],
  flags: [
    flag("duration", "duration", "Time that the metrics cover", {
      short: "d",
      default: "1m0s",
    }),
    flag("prometheus", "string", "Address of the Prometheus, http://HOST:PORT"),
  ],
  run: async (call) => await (await import("../../../lib/insight/proxies/mod.ts")).metrics(call),
};
