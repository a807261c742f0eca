/**
 * The row of a pod in the table of WorkloadEntries, so that ServiceEntries select it and
 * the proxy in it is known; see `lib/mesh/model/registry.ts`.
 *
 * @module
 */
import { hash } from "../../../../kit/base/mod.ts";
import { type ConfigObject, type EndpointFacts, networkLabel } from "../../../model/mod.ts";
import { create } from "../../../../kit/proto/mod.ts";
import {
  type WorkloadEntry,
  WorkloadEntrySchema,
} from "#mesh/networking/v1alpha3/workload_entry_pb.ts";
import type { NodeFacts, PodFacts } from "./api.ts";
import { localityAt } from "./locality.ts";

/** Inputs of the row of a pod. */
export interface PodInputs {
  readonly node: NodeFacts | undefined;
  /** `meta.origin.source` of the row. */
  readonly source: string;
  /** The network of the cluster; empty: none. */
  readonly network: string;
  /** True: ServiceEntries select it. */
  readonly selectable: boolean;
}

/** The row of a pod; `undefined` for one without an address. */
export function podRow(
  pod: PodFacts,
  { node, source, network, selectable }: PodInputs,
): ConfigObject<WorkloadEntry> | undefined {
  const { namespace, name, labels, address, uid } = pod;
  if (address === "") return undefined;
  const spec = create(WorkloadEntrySchema, {
    address,
    serviceAccount: pod.serviceAccount,
    network: networkLabel(labels) || network,
    locality: localityAt(pod, node),
  });
  const facts: EndpointFacts = {
    health: pod.ready ? "healthy" : "unhealthy",
    namespace,
    workload: pod.workload,
    hostname: "",
    node: pod.node,
    pod: true,
    ...(pod.ambient?.redirected === true ? { redirected: true } : {}),
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
    ...(pod.ambient === undefined ? {} : { ambient: pod.ambient }),
    ...(selectable ? {} : { unselectable: true }),
    digest: hash(
      JSON.stringify([spec, facts, labels, ...(pod.ambient === undefined ? [] : [pod.ambient])]),
    ),
  };
}
