/**
 * Rules of policy targets: workloads by labels, or named resources.
 *
 * @module
 */
import type { PolicyTargetReference, WorkloadSelector } from "#mesh/type/v1beta1/selector_pb.ts";
import { isDnsSubdomain, type Path } from "../../../kit/text/mod.ts";
import type { ObjectIdentity, Report } from "../problem.ts";
import { checkSelector, CONFLICT, REQUIRED } from "./common.ts";

/** The fields that select a policy's targets. */
export interface PolicyScope {
  readonly selector?: WorkloadSelector;
  readonly targetRef?: PolicyTargetReference;
  readonly targetRefs?: readonly PolicyTargetReference[];
}

/** Kinds that may be targets, by group. */
const TARGETS: readonly (readonly [group: string, kind: string])[] = [
  ["gateway.networking.k8s.io", "Gateway"],
  ["gateway.networking.k8s.io", "GatewayClass"],
  ["", "Service"],
  ["core", "Service"],
  ["networking.mesh.io", "ServiceEntry"],
];
/** Maximum number of targets, as in the schema. */
const MAX_TARGETS = 16;

/** Checks `selector`, `targetRef` and `targetRefs`, which exclude each other. */
export function checkPolicyScope(
  { selector, targetRef, targetRefs = [] }: PolicyScope,
  identity: ObjectIdentity,
  report: Report,
): void {
  const path = ["spec"];
  checkWorkloadSelector(selector, [...path, "selector"], report);
  const given = [
    ...(selector === undefined ? [] : ["selector"]),
    ...(targetRef === undefined ? [] : ["targetRef"]),
    ...(targetRefs.length === 0 ? [] : ["targetRefs"]),
  ];
  const [first, second] = given;
  if (second !== undefined) {
    const message = `${first} and ${second} exclude each other`;
    report.failKey([...path, second], CONFLICT, message, "Keep one of the two.");
  }
  if (targetRefs.length > MAX_TARGETS) {
    const message = `${targetRefs.length} targets are more than ${MAX_TARGETS}`;
    report.fail([...path, "targetRefs"], "out-of-range", message, "Split the policy.");
  }
  if (targetRef !== undefined) checkTarget(targetRef, identity, [...path, "targetRef"], report);
  targetRefs.forEach((target, index) =>
    checkTarget(target, identity, [...path, "targetRefs", index], report)
  );
}

/** Checks a selector by `matchLabels`. */
export function checkWorkloadSelector(
  selector: WorkloadSelector | undefined,
  path: Path,
  report: Report,
): void {
  if (selector === undefined) return;
  checkSelector(selector.matchLabels, [...path, "matchLabels"], report);
  if (Object.keys(selector.matchLabels).length > 0) return;
  const message = "the selector names no labels and takes every workload";
  report.warn(path, REQUIRED, message, "Name labels, or remove the selector.");
}

function checkTarget(
  target: PolicyTargetReference,
  identity: ObjectIdentity,
  path: Path,
  report: Report,
): void {
  for (const name of ["name", "kind"] as const) {
    if (target[name] !== "") continue;
    report.fail([...path, name], REQUIRED, `the target has no ${name}`, `Give ${name}.`);
  }
  if (target.namespace !== "" && target.namespace !== identity.namespace) {
    const message = "a target in another namespace cannot be named";
    const remedy = "Move the policy there, or remove namespace.";
    report.fail([...path, "namespace"], CONFLICT, message, remedy);
  }
  if (target.group !== "" && !isDnsSubdomain(target.group)) {
    const message = `${JSON.stringify(target.group)} is not a group`;
    report.fail([...path, "group"], "invalid-name", message, "Write the group as a DNS name.");
  } else if (
    target.kind !== "" &&
    !TARGETS.some(([group, kind]) => group === target.group && kind === target.kind)
  ) {
    const known = TARGETS.filter(([group]) => group !== "core")
      .map(([group, kind]) => group === "" ? kind : `${kind} of ${group}`);
    const message = `a policy cannot be attached to ${target.kind} of group "${target.group}"`;
    report.fail([...path, "kind"], "unknown-value", message, `Name ${known.join(", ")}.`);
  }
}
