/**
 * WorkloadGroup: names, effective fields, rules.
 *
 * @module
 */
import {
  type HTTPHealthCheckConfig,
  type ReadinessProbe,
  type WorkloadGroup,
  WorkloadGroupSchema,
} from "#mesh/networking/v1alpha3/workload_group_pb.ts";
import { isFqdn, isIp, type Path } from "../../../kit/text/mod.ts";
import { checkHeaderName, checkNotNegative, checkPort, REQUIRED } from "../rules/mod.ts";
import { checkLabels } from "../metadata.ts";
import type { ObjectIdentity, Report } from "../problem.ts";
import { checkWorkload } from "./workload_entry.ts";
import { NETWORKING_API, type TabledKind } from "../kind.ts";

/** Fields of a group's template: all but the address, which is the workload's own. */
const TEMPLATE = ["ports", "labels", "network", "locality", "weight", "serviceAccount"]
  .map((field) => `template.${field}`);

export const WORKLOAD_GROUP: TabledKind<"WorkloadGroup", "workloadGroups", WorkloadGroup> = {
  kind: "WorkloadGroup",
  ...NETWORKING_API,
  plural: "workloadgroups",
  scope: "namespaced",
  table: "workloadGroups",
  schema: WorkloadGroupSchema,
  effective: { paths: ["metadata", ...TEMPLATE] },
  validate,
};

/** Checks a WorkloadGroup's specification. */
function validate(
  spec: WorkloadGroup,
  _identity: ObjectIdentity,
  report: Report,
): void {
  const path = ["spec"];
  if (spec.template === undefined) {
    const remedy = "Give template, if only with a serviceAccount.";
    report.fail(path, REQUIRED, "the group has no template", remedy);
  } else checkTemplate(spec.template, [...path, "template"], report);
  checkLabels(spec.metadata?.labels ?? {}, [...path, "metadata", "labels"], report);
  if (spec.probe !== undefined) checkProbe(spec.probe, [...path, "probe"], report);
}

/**
 * Checks what a WorkloadEntry needs and a template does not need, because the address comes with
 * the workload.
 */
function checkTemplate(
  template: NonNullable<WorkloadGroup["template"]>,
  path: Path,
  report: Report,
): void {
  checkWorkload(template, path, report);
  const { address } = template;
  if (address === "" || isIp(address) || isFqdn(address)) return;
  const message = `${JSON.stringify(address)} is neither an IP address nor a host name`;
  report.fail([...path, "address"], "invalid-address", message, "Leave the address out.");
}

const COUNTS = [
  "initialDelaySeconds",
  "timeoutSeconds",
  "periodSeconds",
  "successThreshold",
  "failureThreshold",
] as const;

/** Checks a readiness probe of a group or of the proxy configuration. */
export function checkProbe(probe: ReadinessProbe, path: Path, report: Report): void {
  for (const name of COUNTS) checkNotNegative(probe[name], [...path, name], report);
  const method = probe.healthCheckMethod;
  switch (method.case) {
    case "httpGet":
      checkHttpProbe(method.value, [...path, "httpGet"], report);
      break;
    case "tcpSocket":
      checkPort(method.value.port, [...path, "tcpSocket", "port"], report);
      break;
    case "grpc":
      checkPort(method.value.port, [...path, "grpc", "port"], report);
      break;
    case "exec":
      if (method.value.command.length > 0) break;
      report.fail(
        [...path, "exec"],
        REQUIRED,
        "the probe has no command",
        "Give command with the program and its arguments.",
      );
      break;
    default: {
      const remedy = "Give httpGet, tcpSocket, grpc or exec.";
      report.fail(path, REQUIRED, "the probe does not say how to look", remedy);
    }
  }
}

function checkHttpProbe(probe: HTTPHealthCheckConfig, path: Path, report: Report): void {
  checkPort(probe.port, [...path, "port"], report);
  if (probe.path !== "" && !probe.path.startsWith("/")) {
    const message = `the path ${JSON.stringify(probe.path)} does not begin with "/"`;
    report.fail([...path, "path"], "invalid-value", message, 'Write, for example, "/ready".');
  }
  if (!["", "HTTP", "HTTPS"].includes(probe.scheme)) {
    const message = `scheme ${JSON.stringify(probe.scheme)} is not known`;
    report.fail([...path, "scheme"], "unknown-value", message, "Write HTTP or HTTPS.");
  }
  probe.httpHeaders.forEach(({ name }, index) => {
    const at = [...path, "httpHeaders", index, "name"];
    const before = report.errors.length;
    checkHeaderName(name, at, report);
    if (report.errors.length > before || /^[-_A-Za-z0-9]+$/.test(name)) return;
    const message = `${JSON.stringify(name)} is not a header name of a probe`;
    report.fail(at, "invalid-name", message, "Use letters, digits, '-' and '_'.");
  });
}
