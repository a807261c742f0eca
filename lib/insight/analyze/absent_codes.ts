/**
 * Codes of the interface that no analyzer emits, with the reasons.
 *
 * @module
 */

/** A code without analyzer. */
export interface AbsentCode {
  readonly code: string;
  readonly name: string;
  /** The command that reports it, or the part of Mesh that is missing. A sentence without a full stop. */
  readonly reason: string;
}

const PRECHECK = "`meshctl experimental precheck` reports it";
const NO_CHANGE = "no release of Mesh has changed a default, as " +
  "`meshctl experimental precheck --from-version` says";

/** The codes, in order. */
export const ABSENT_CODES: readonly AbsentCode[] = [
  { code: "MSH0001", name: "InternalError", reason: "a failure is an error of the command" },
  { code: "MSH0141", name: "InsufficientPermissions", reason: PRECHECK },
  { code: "MSH0142", name: "UnsupportedKubernetesVersion", reason: PRECHECK },
  { code: "MSH0143", name: "LocalhostListener", reason: PRECHECK },
  { code: "MSH0156", name: "UnsupportedGatewayAPIVersion", reason: PRECHECK },
  { code: "MSH0168", name: "UnknownUpgradeCompatibility", reason: NO_CHANGE },
  { code: "MSH0169", name: "UpdateIncompatibility", reason: NO_CHANGE },
  {
    code: "MSH0172",
    name: "FutureUnsupportedGatewayAPIVersion",
    reason: "no later minimum of the Gateway API is planned; MSH0156 is about the present one",
  },
  {
    code: "MSH0176",
    name: "GatewayAPICRDVersionBelowMinimum",
    reason: "no later minimum of the Gateway API is planned; MSH0156 is about the present one",
  },
];
