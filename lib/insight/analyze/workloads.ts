/**
 * Workloads of connected proxies.
 *
 * @module
 */
import type { ProxyClass } from "../../mesh/model/mod.ts";
import { type KnownWorkload, workloadKey } from "./workload_indexes.ts";

/** The workloads of proxy classes, each once. The key of a class is its content as JSON. */
export function workloadsOfClasses(classKeys: Iterable<string>): KnownWorkload[] {
  const found = new Map<string, KnownWorkload>();
  for (const key of new Set(classKeys)) {
    const { namespace, labels, serviceAccount: account } = JSON.parse(key) as ProxyClass;
    const workload = { namespace, labels, account };
    found.set(workloadKey(workload), workload);
  }
  return [...found.values()];
}
