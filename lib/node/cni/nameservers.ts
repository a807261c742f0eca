/**
 * The nameservers that the kubelet writes into a pod's resolv.conf. Pure.
 *
 * @module
 */
import type { CniPod, NodeNameservers } from "./types.ts";

/** Nameservers that resolv.conf takes. */
const MOST = 3;

/** The nameservers of a pod; `undefined` if they are not known. */
export function nameserversOf(
  { spec = {} }: CniPod,
  known: NodeNameservers,
): readonly string[] | undefined {
  const own = spec.dnsConfig?.nameservers ?? [];
  const policy = spec.dnsPolicy ?? "ClusterFirst";
  if (policy === "None") return own;
  const given = policy === "Default" ? known.node : known.cluster;
  return given && [...new Set([...given, ...own])].slice(0, MOST);
}
