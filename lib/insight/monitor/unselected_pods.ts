/**
 * A count of connections of sidecars whose pod no service selects.
 *
 * @module
 */
import type { Mesh } from "../../mesh/derive/mod.ts";
import { counter } from "../../kit/metrics/mod.ts";
import { objectKeys, type ProxyClass, rowOfObject } from "../../mesh/model/mod.ts";
import type { XdsObserver } from "../../mesh/xds/mod.ts";

/** Creates the count. Proxies without a pod, and pods that are not known, are not counted. */
export function countUnselectedPods(mesh: Mesh): XdsObserver {
  const unselected = counter({
    name: "pilot_k8s_proxies_with_no_service_targets",
    help: "Connections of sidecars whose pod has no address among the endpoints of a service.",
  });
  return {
    opened({ node: { role, namespace, name }, binding }) {
      if (role !== "sidecar") return;
      const pod = rowOfObject({ table: "Pod", key: objectKeys.encode({ namespace, name }) });
      if (mesh.tables.workloadEntries.peek(pod.key) === undefined) return;
      const { targets } = JSON.parse(binding.classKey) as Pick<ProxyClass, "targets">;
      if (targets.length === 0) unselected.inc({});
    },
  };
}
