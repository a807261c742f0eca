/**
 * A workload that registers itself, and who may be it.
 *
 * @module
 */
import { scope } from "../../../kit/log/mod.ts";
import type { ConfigObject, ProxyNode } from "../../model/mod.ts";
import { counts } from "./metrics.ts";

const log = scope("registration");

/** A workload, connected or within its grace time. */
export interface Workload {
  readonly key: string;
  /** `namespace/name` of its group. */
  readonly group: string;
  readonly name: string;
  readonly since: number;
  /** The proxy that the entry is made of. */
  node: ProxyNode;
  /** Its connected proxies by stream, the oldest first. */
  readonly streams: Map<string, ProxyNode>;
  /** Its last report; `undefined` before the first one. */
  reported: boolean | undefined;
  disconnectedAt: number | undefined;
  /** True while another source has an entry of this name. */
  taken: boolean;
  entry?: ConfigObject;
  /** Cancels the deletion after a disconnect. */
  cancelDeletion?: () => void;
}

/** True for a proxy with the identity of the one that the entry is made of. */
export function isHolder({ node }: Workload, { identity }: ProxyNode): boolean {
  return node.identity === identity;
}

/** Counts and logs that a proxy may not register. */
export function refuse(group: string, { namespace, identity }: ProxyNode): void {
  counts.failed.inc();
  const reason = identity === undefined
    ? "it proved no identity; connect to the secured port, or set MESH_WORKLOAD_ENTRY_VALIDATE_IDENTITY=false"
    : "its identity is not that of the group";
  log.warn(`a workload may not register: ${reason}`, {
    group: `${namespace}/${group}`,
    ...(identity === undefined ? {} : { identity }),
  });
}
