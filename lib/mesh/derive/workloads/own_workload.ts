/**
 * The workload beside a proxy: its pod, or the WorkloadEntry with its address.
 *
 * @module
 */
import { type Derived, type KeyCodec, keyOf, list, type Read, text } from "../../graph/mod.ts";
import {
  type ConfigObject,
  type Locality,
  nameInCluster,
  objectKeys,
  rowOfObject,
} from "../../model/mod.ts";
import type { WorkloadEntry } from "#mesh/networking/v1alpha3/workload_entry_pb.ts";
import type { MeshInputs } from "../indexes/mod.ts";
import type { Labels } from "../inputs/mod.ts";
import { localityOf } from "../services/mod.ts";

/** The claims of a proxy about itself by which its workload is found. */
export interface ProxyIdentity {
  readonly namespace: string;
  /** Name of the proxy, which is that of its pod. */
  readonly name: string;
  /** Id of its cluster; empty: unknown. */
  readonly cluster: string;
  readonly addresses: readonly string[];
}

/** Facts about the workload of a proxy, which count more than what the proxy says. */
export interface OwnWorkload {
  /** Labels of its pod; unset: no pod is known. */
  readonly labels?: Labels;
  /** Unset: unknown. */
  readonly locality?: Locality;
  /** Name of its node; unset: unknown. */
  readonly node?: string;
}

const identityKeys: KeyCodec<ProxyIdentity> = keyOf<ProxyIdentity>({
  namespace: text,
  name: text,
  cluster: text,
  addresses: list(text),
});

type Row = ConfigObject<WorkloadEntry>;

/**
 * Creates the table: a proxy → facts about its workload. The pod is that of the proxy's name, else
 * the only one in its namespace with its first address. A proxy without a pod has the locality of
 * the WorkloadEntry in its namespace with one of its addresses.
 */
export function deriveOwnWorkloads(
  inputs: MeshInputs,
  clusterId: string,
): Derived<OwnWorkload, ProxyIdentity> {
  return inputs.graph.derive("workload.own", identityKeys, (read, proxy): OwnWorkload => {
    const cluster = clusterOf(read, inputs, clusterId, proxy);
    const pod = podOf(read, inputs, proxy, cluster);
    const entry = pod ?? entryOf(read, inputs, proxy, cluster);
    const locality = entry?.spec.locality ?? "";
    const node = pod?.pod?.node ?? "";
    return {
      ...(pod === undefined ? {} : { labels: pod.meta.labels }),
      ...(locality === "" ? {} : { locality: localityOf(locality) }),
      ...(node === "" ? {} : { node }),
    };
  });
}

/** The remote cluster of a proxy; `undefined`: the daemon's own, as for one that names no known cluster. */
function clusterOf(
  read: Read,
  { indexes }: MeshInputs,
  clusterId: string,
  { cluster }: ProxyIdentity,
): string | undefined {
  if (cluster === "" || cluster === clusterId) return undefined;
  return read.members(indexes.remoteClusters, "all").includes(cluster) ? cluster : undefined;
}

function podOf(
  read: Read,
  { tables, indexes }: MeshInputs,
  { namespace, name, addresses: [address = ""] }: ProxyIdentity,
  cluster: string | undefined,
): Row | undefined {
  const named = objectKeys.encode({
    namespace,
    name: cluster === undefined ? name : nameInCluster(name, cluster),
  });
  const own = read.get(tables.workloadEntries, rowOfObject({ table: "Pod", key: named }).key);
  if (own !== undefined) return own;
  const others = rowsAt(read, { tables, indexes }, address, { namespace, cluster })
    .filter(({ pod }) => pod !== undefined);
  // Pods in the network of their node share its address.
  return others.length === 1 ? others[0] : undefined;
}

/** The WorkloadEntry of a proxy; of several the first one with a locality. */
function entryOf(
  read: Read,
  inputs: Pick<MeshInputs, "tables" | "indexes">,
  { namespace, addresses }: ProxyIdentity,
  cluster: string | undefined,
): Row | undefined {
  return addresses.flatMap((address) => rowsAt(read, inputs, address, { namespace, cluster }))
    .filter(({ pod, spec }) => pod === undefined && spec.locality !== "")
    .sort((a, b) => (a.meta.name < b.meta.name ? -1 : 1))[0];
}

/** Rows of a namespace in a cluster with an address. */
function rowsAt(
  read: Read,
  { tables, indexes }: Pick<MeshInputs, "tables" | "indexes">,
  address: string,
  { namespace, cluster }: { readonly namespace: string; readonly cluster: string | undefined },
): Row[] {
  return read.members(indexes.workloadsByAddress, address)
    .filter((key) => objectKeys.decode(key).namespace === namespace)
    .map((key) => read.get(tables.workloadEntries, key))
    .filter((row) => row !== undefined && row.meta.origin.cluster === cluster) as Row[];
}
