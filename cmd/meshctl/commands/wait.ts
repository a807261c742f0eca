import type { CommandSpec } from "../../../lib/kit/cli/mod.ts";
import { flag, REVISION, XDS_FLAGS } from "./flags.ts";

/** `experimental wait`. */
export const wait: CommandSpec = {
  name: "wait",
  summary: "Wait until proxies have acknowledged an edit",
  description:
    "Waits until the proxies that the newest edit of an object concerns have acknowledged\n" +
    "it, as the daemon's receipts say. Status 1 when a proxy rejects it, or on the time limit.",
  examples: [
    "meshctl x wait VirtualService web.shop",
    "meshctl x wait VirtualService web.shop --generation 4 --threshold 0.9 --timeout 1m",
  ],
  args: [
    { name: "kind", description: "Kind of the object" },
    { name: "name[.namespace]", description: "Name of the object" },
  ],
  flags: [
    flag("generation", "int", "Lowest generation that counts; default: the newest edit"),
    flag("threshold", "float32", "Share of the proxies that must have it", { default: "1" }),
    REVISION,
    ...XDS_FLAGS,
  ],
  run: async (call) => await (await import("../../../lib/insight/daemons/mod.ts")).wait(call),
};
