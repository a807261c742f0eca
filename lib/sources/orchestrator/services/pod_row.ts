/**
 * The row of a pod in the table of WorkloadEntries, so that ServiceEntries select it; see
 * `lib/model/registry.ts`.
 *
 * @module
 */
import { hash } from "../../../base/mod.ts";
import type { ConfigObject, EndpointFacts } from "../../../model/mod.ts";
import { create, toJsonString } from "../../../proto/mod.ts";
import {
  type WorkloadEntry,
  WorkloadEntrySchema,
} from "#mesh/networking/v1alpha3/workload_entry_pb.ts";
import type { NodeFacts, PodFacts } from "./api.ts";
import { localityAt } from "./endpoints.ts";

/**
 * The row of a pod; `undefined` for one without an address or without labels.
 *
 * @param source `meta.origin.source` of the row
 */
export function podRow(
  pod: PodFacts,
  node: NodeFacts | undefined,
  source: string,
): ConfigObject<WorkloadEntry> | undefined {
  const { namespace, name, labels, address, uid } = pod;
  // Selectors of ServiceEntries have at least one label.
  if (address === "" || Object.keys(labels).length === 0) return undefined;
  const spec = create(WorkloadEntrySchema, {
    address,
    serviceAccount: pod.serviceAccount,
    network: labels["topology.mesh.io/network"] ?? "",
    locality: localityAt(pod, node),
  });
  const facts: EndpointFacts = {
    health: pod.ready ? "healthy" : "unhealthy",
    namespace,
    workload: pod.workload,
    hostname: "",
    node: pod.node,
  };
  return {
    meta: {
      kind: "Pod",
      namespace,
      name: name,
      labels,
      annotations: {},
      generation: 1,
      creationTime: 0,
      origin: { source, ...(uid === undefined ? {} : { uid }) },
    },
    spec,
    pod: facts,
    digest: hash(JSON.stringify([toJsonString(WorkloadEntrySchema, spec), facts, labels])),
  };
}
