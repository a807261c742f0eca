/**
 * The settings of ProxyConfig objects for a workload.
 *
 * @module
 */
import { type ProxyConfig, ProxyConfigSchema } from "#mesh/mesh/v1alpha1/proxy_pb.ts";
import type { ProxyConfig as ProxyConfigSpec } from "#mesh/networking/v1beta1/proxy_config_pb.ts";
import type { Mesh, Workload } from "../../derive/mod.ts";
import { create } from "../../../kit/proto/mod.ts";

/**
 * Merges the settings of ProxyConfigs: the more specific ones win, variables are merged by name.
 *
 * @param specs the least specific one first
 */
export function mergedSettings(specs: Iterable<ProxyConfigSpec | undefined>): ProxyConfig {
  const config = create(ProxyConfigSchema);
  for (const spec of specs) {
    if (spec === undefined) continue;
    config.concurrency = spec.concurrency ?? config.concurrency;
    config.image = spec.image ?? config.image;
    Object.assign(config.proxyMetadata, spec.environmentVariables);
  }
  return config;
}

/**
 * The settings of ProxyConfigs for a workload that is not connected, such as a pod that is
 * injected. Fields that no ProxyConfig has are unset.
 */
export function proxySettings(mesh: Mesh, workload: Workload): ProxyConfig {
  const keys = mesh.graph.peek(mesh.proxyConfigs, workload);
  return mergedSettings(keys.map((key) => mesh.tables.proxyConfigs.peek(key)?.spec));
}
