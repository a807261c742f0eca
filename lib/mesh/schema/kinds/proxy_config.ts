/**
 * ProxyConfig: names, effective fields, rules.
 *
 * @module
 */
import { type ProxyConfig, ProxyConfigSchema } from "#mesh/networking/v1beta1/proxy_config_pb.ts";
import { checkWorkloadSelector, INVALID, REQUIRED } from "../rules/mod.ts";
import type { ObjectIdentity, Report } from "../problem.ts";
import { NETWORKING_API, type TabledKind } from "../kind.ts";

export const PROXY_CONFIG: TabledKind<"ProxyConfig", "proxyConfigs", ProxyConfig> = {
  kind: "ProxyConfig",
  group: NETWORKING_API.group,
  versions: ["v1beta1"],
  plural: "proxyconfigs",
  scope: "namespaced",
  table: "proxyConfigs",
  schema: ProxyConfigSchema,
  effective: { paths: ["selector", "concurrency", "environmentVariables", "image"] },
  validate,
};

/** Checks a ProxyConfig's specification. */
function validate(
  spec: ProxyConfig,
  _identity: ObjectIdentity,
  report: Report,
): void {
  const path = ["spec"];
  checkWorkloadSelector(spec.selector, [...path, "selector"], report);
  if (spec.concurrency !== undefined && spec.concurrency < 0) {
    const message = `concurrency ${spec.concurrency} is negative`;
    const remedy = "Write the number of worker threads, or 0 for one a core.";
    report.fail([...path, "concurrency"], "out-of-range", message, remedy);
  }
  for (const [name, value] of Object.entries(spec.environmentVariables)) {
    const at = [...path, "environmentVariables", name];
    if (name === "") report.failKey(at, REQUIRED, "the variable has no name", "Name it.");
    else if (!/^[^=\0]+$/.test(name) || value.includes("\0")) {
      const message = `${JSON.stringify(name)} cannot be set in an environment`;
      report.failKey(at, INVALID, message, 'Remove "=" from the name and NUL from both.');
    }
  }
}
