/**
 * The parts of commands about installations: the cluster, the plan and the known state of the
 * proxies.
 *
 * @module
 */
import type { Invocation } from "../../../lib/kit/cli/mod.ts";
import type { CommandParts, InstallCluster, Planned } from "../../../lib/cluster/installer/mod.ts";

type Room = typeof import("../../../lib/cluster/installer/mod.ts");

/** The room of the commands, and the parts of a call. */
export async function installation(
  call: Invocation,
): Promise<{ readonly room: Room; readonly parts: CommandParts }> {
  const room = await import("../../../lib/cluster/installer/mod.ts");
  const { openCluster } = await import("../../../lib/insight/cluster_access/mod.ts");
  const { connectedProxies } = await import("../../../lib/insight/daemon_client/mod.ts");
  const { clusterFaults } = await import("../../../lib/insight/precheck/mod.ts");
  const { createClient } = await import("../../../lib/kit/orch/mod.ts");
  const parts: CommandParts = {
    open: async () => {
      const cluster = await openCluster(call);
      const lockClient = createClient(cluster.access);
      return {
        ...{ client: cluster.client, lockClient, meshNamespace: cluster.meshNamespace },
        [Symbol.dispose]: () => {
          lockClient[Symbol.dispose]();
          cluster[Symbol.dispose]();
        },
      };
    },
    plan: (cluster) => planned(call, cluster),
    precheck: async () => {
      using cluster = await openCluster(call);
      return await clusterFaults(cluster);
    },
    connected: async (revision) => {
      using cluster = await openCluster(call);
      return await connectedProxies(cluster, revision, (text) => call.io.err(`Note: ${text}\n`));
    },
  };
  return { room, parts };
}

/** The plan of a call's files and settings. */
async function planned(call: Invocation, cluster: InstallCluster): Promise<Planned> {
  const { flags } = call;
  const { planInstallation, problemText } = await import("../../../lib/cluster/operator/mod.ts");
  const { clusterFacts, operatorInput } = await import("../../../lib/cluster/manifests/mod.ts");
  const { planError } = await import("../../../lib/cluster/installer/mod.ts");
  // Uninstallations take one file.
  const one = call.command.endsWith("uninstall") ? flags.string("filename") : undefined;
  const names = one === undefined ? flags.list("filename") : one === "" ? [] : [one];
  const input = await operatorInput(call, { ...await clusterFacts(cluster), names });
  const plan = planInstallation(input);
  const textOf = (problem: (typeof plan.problems)[number]): string =>
    `${problemText(problem)}. ${problem.remedy}`;
  if (plan.problems.length > 0) throw planError(plan.problems.map(textOf));
  const { components, namespace, profile } = plan;
  return {
    installation: { components, namespace, version: input.version, revision: plan.revision },
    profile,
    warnings: plan.warnings.map(textOf),
  };
}
