import type { ArgSpec } from "../../../lib/kit/cli/mod.ts";

/** A proxy, by its pod or its workload. */
export const PROXY: ArgSpec = {
  name: "[<type>/]<name>[.<namespace>]",
  description: "Pod of the proxy, or a workload such as deployment/web",
  optional: true,
  candidates: async (request) =>
    await (await import("../../../lib/insight/daemon_client/mod.ts")).proxyNames(request),
};

/** A pod, with or without a proxy. */
export const POD: ArgSpec = {
  ...PROXY,
  description: "Pod, or a workload such as deployment/web",
  candidates: async (request) =>
    await (await import("../../../lib/insight/cluster_access/mod.ts")).allPodNames(request),
};
