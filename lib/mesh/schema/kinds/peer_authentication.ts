/**
 * PeerAuthentication: names, effective fields, rules.
 *
 * @module
 */
import {
  type PeerAuthentication,
  PeerAuthenticationSchema,
} from "#mesh/security/v1beta1/peer_authentication_pb.ts";
import { checkPort, checkWorkloadSelector, REQUIRED } from "../rules/mod.ts";
import type { ObjectIdentity, Report } from "../problem.ts";
import { SECURITY_API, type TabledKind } from "../kind.ts";

export const PEER_AUTHENTICATION: TabledKind<
  "PeerAuthentication",
  "peerAuthentications",
  PeerAuthentication
> = {
  kind: "PeerAuthentication",
  ...SECURITY_API,
  plural: "peerauthentications",
  scope: "namespaced",
  table: "peerAuthentications",
  schema: PeerAuthenticationSchema,
  effective: {
    paths: ["selector", "mtls", "portLevelMtls"],
  },
  validate,
  checkWritten: checkWrittenPorts,
};

/** Checks a PeerAuthentication's specification. */
function validate(
  spec: PeerAuthentication,
  _identity: ObjectIdentity,
  report: Report,
): void {
  checkWorkloadSelector(spec.selector, ["spec", "selector"], report);
  const ports = Object.keys(spec.portLevelMtls);
  for (const port of ports) checkPort(Number(port), ["spec", "portLevelMtls", port], report);
  const selects = Object.keys(spec.selector?.matchLabels ?? {}).length > 0;
  if (ports.length === 0 || selects) return;
  const message = "portLevelMtls needs a selector";
  const remedy = "Add a selector with labels, or remove portLevelMtls.";
  report.failKey(["spec", "portLevelMtls"], REQUIRED, message, remedy);
}

/** Checks the written form: an empty map of ports is a mistake that the message no longer shows. */
export function checkWrittenPorts(value: unknown, report: Report): void {
  const written = (value as { portLevelMtls?: unknown } | null)?.portLevelMtls;
  if (typeof written !== "object" || written === null || Object.keys(written).length > 0) return;
  const message = "portLevelMtls names no port";
  report.failKey(["spec", "portLevelMtls"], REQUIRED, message, "Name a port, or remove it.");
}
