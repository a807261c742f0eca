import type { CommandSpec } from "../../../lib/kit/cli/mod.ts";

/** `experimental injector` and its sub-command. */
export const injector: CommandSpec = {
  name: "injector",
  summary: "Commands about injectors",
  commands: [{
    name: "list",
    aliases: ["l"],
    summary: "List injectors and revisions of proxies",
    examples: ["meshctl x injector list"],
    run: async (call) => {
      const { hasProxy, openCluster, podsOf } = await import(
        "../../../lib/insight/cluster_access/mod.ts"
      );
      const { injectorList } = await import("../../../lib/cluster/injectors/mod.ts");
      using cluster = await openCluster(call);
      const proxies = async () => (await podsOf(cluster, {})).filter(hasProxy);
      return await injectorList(call, { ...cluster, proxies });
    },
  }],
};
