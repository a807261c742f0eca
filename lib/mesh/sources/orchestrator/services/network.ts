/**
 * The network of a cluster: the label `topology.mesh.io/network` of its system namespace. It is the
 * network of all endpoints of the cluster whose pods have no such label.
 *
 * @module
 */
import { networkLabel } from "../../../model/mod.ts";
import {
  follow,
  type FollowState,
  type FollowTiming,
  type ListItem,
  type OrchClient,
  types,
} from "../../../../kit/orch/mod.ts";

/** The followed network of a cluster. */
export interface ClusterNetwork {
  /** Resolves when the namespace was read, or after the end. */
  readonly synced: Promise<void>;
  /** The network; empty: none. */
  current(): string;
  state(): FollowState;
  close(): Promise<void>;
}

/** Settings of {@link followClusterNetwork}. */
export interface ClusterNetworkOptions {
  readonly client: OrchClient;
  readonly systemNamespace: string;
  readonly changed: () => void;
  readonly stateChanged: () => void;
  readonly timing?: Partial<FollowTiming> | undefined;
}

/** Follows the system namespace. Without the namespace, or without its label, there is no network. */
export function followClusterNetwork(
  { client, systemNamespace: name, changed, stateChanged, timing }: ClusterNetworkOptions,
): ClusterNetwork {
  let network = "";
  const following = follow<ListItem>({
    client,
    type: types.NAMESPACE,
    selection: { fieldSelector: `metadata.name=${name}` },
    convert: (item) => item,
    changed() {
      const next = networkLabel(following.get({ name })?.metadata.labels ?? {});
      if (next === network) return;
      network = next;
      changed();
    },
    stateChanged,
    ...(timing === undefined ? {} : { timing }),
  });
  return {
    synced: following.synced,
    current: () => network,
    state: () => following.state(),
    close: () => following.close(),
  };
}
