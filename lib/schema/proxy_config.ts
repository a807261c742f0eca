/**
 * Rules of ProxyConfig.
 *
 * @module
 */
import type { ProxyConfig } from "#mesh/networking/v1beta1/proxy_config_pb.ts";
import { checkWorkloadSelector } from "./policy_target.ts";
import { fail, type ObjectIdentity, type Report } from "./problem.ts";
import { INVALID, REQUIRED } from "./rules.ts";

/** Checks a ProxyConfig's specification. */
export function validateProxyConfigResource(
  spec: ProxyConfig,
  _identity: ObjectIdentity,
  report: Report,
): void {
  const path = ["spec"];
  checkWorkloadSelector(spec.selector, [...path, "selector"], report);
  if (spec.concurrency !== undefined && spec.concurrency < 0) {
    const message = `concurrency ${spec.concurrency} is negative`;
    const remedy = "Write the number of worker threads, or 0 for one a core.";
    fail(report, [...path, "concurrency"], "out-of-range", message, remedy);
  }
  for (const [name, value] of Object.entries(spec.environmentVariables)) {
    const at = [...path, "environmentVariables", name];
    if (name === "") fail(report, at, REQUIRED, "the variable has no name", "Name it.", "key");
    else if (!/^[^=\0]+$/.test(name) || value.includes("\0")) {
      const message = `${JSON.stringify(name)} cannot be set in an environment`;
      fail(report, at, INVALID, message, 'Remove "=" from the name and NUL from both.', "key");
    }
  }
}
