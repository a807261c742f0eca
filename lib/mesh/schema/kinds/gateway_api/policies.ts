/**
 * ReferenceGrant and BackendTLSPolicy: names, effective fields, rules.
 *
 * @module
 */
import {
  type BackendTLSPolicy,
  BackendTLSPolicySchema,
  type BackendTLSPolicyValidation,
} from "#mesh/gateway/v1/backend_tls_policy_pb.ts";
import { type ReferenceGrant, ReferenceGrantSchema } from "#mesh/gateway/v1/reference_grant_pb.ts";
import type { Path } from "../../../../kit/text/mod.ts";
import type { TabledKind } from "../../kind.ts";
import type { ObjectIdentity, Report } from "../../problem.ts";
import { checkHost, CONFLICT, NO_EFFECT, REQUIRED } from "../../rules/mod.ts";
import {
  checkNamespace,
  checkObjectName,
  checkOneOf,
  checkRequiredOneOf,
  GATEWAY_API,
} from "./common.ts";

export const REFERENCE_GRANT: TabledKind<"ReferenceGrant", "referenceGrants", ReferenceGrant> = {
  kind: "ReferenceGrant",
  ...GATEWAY_API,
  versions: ["v1beta1", "v1", "v1alpha2"],
  plural: "referencegrants",
  table: "referenceGrants",
  schema: ReferenceGrantSchema,
  effective: {
    paths: [
      "from",
      "to",
    ],
  },
  validate: ({ from, to }, _identity, report) => {
    for (const [field, list] of [["from", from], ["to", to]] as const) {
      const path = ["spec", field];
      if (list.length === 0) report.fail(path, REQUIRED, `${field} is empty`, "Add an entry.");
      list.forEach(({ kind }, index) => {
        if (kind !== "") return;
        report.fail([...path, index, "kind"], REQUIRED, "kind is missing", "Name a kind.");
      });
    }
    from.forEach(({ namespace }, index) => {
      const path = ["spec", "from", index, "namespace"];
      if (namespace === "") {
        report.fail(path, REQUIRED, "namespace is missing", "Name a namespace.");
      } else checkNamespace(namespace, path, report);
    });
  },
};

export const BACKEND_TLS_POLICY: TabledKind<
  "BackendTLSPolicy",
  "backendTlsPolicies",
  BackendTLSPolicy
> = {
  kind: "BackendTLSPolicy",
  ...GATEWAY_API,
  versions: ["v1", "v1alpha3"],
  plural: "backendtlspolicies",
  table: "backendTlsPolicies",
  schema: BackendTLSPolicySchema,
  effective: {
    paths: [
      "targetRefs",
      "validation",
      "options",
    ],
  },
  validate: validatePolicy,
};

function validatePolicy(spec: BackendTLSPolicy, _identity: ObjectIdentity, report: Report): void {
  if (spec.targetRefs.length === 0) {
    const message = "there are no targets";
    report.fail(["spec", "targetRefs"], REQUIRED, message, "Name a Service.");
  }
  spec.targetRefs.forEach(({ name }, index) =>
    checkObjectName(name, ["spec", "targetRefs", index, "name"], report)
  );
  for (const name of Object.keys(spec.options)) {
    const message = `the option ${JSON.stringify(name)} is not known; Mesh has none`;
    report.warn(["spec", "options", name], NO_EFFECT, message, "Remove the option.");
  }
  const path = ["spec", "validation"];
  const { validation } = spec;
  if (validation === undefined) {
    return report.fail(path, REQUIRED, "validation is missing", "Give validation.");
  }
  checkTlsValidation(validation, path, report);
}

/** Rules of the validation of servers' certificates. */
export function checkTlsValidation(
  validation: BackendTLSPolicyValidation,
  path: Path,
  report: Report,
): void {
  checkHost(validation.hostname, [...path, "hostname"], report, "exact");
  const { wellKnownCaCertificates: known, caCertificateRefs: refs } = validation;
  checkOneOf(known, ["System"], [...path, "wellKnownCACertificates"], report);
  if ((known === "") === (refs.length === 0)) {
    const message = "give either caCertificateRefs or wellKnownCACertificates";
    report.fail(path, CONFLICT, message, "Give one of the two.");
  }
  validation.subjectAltNames.forEach(({ type }, index) => {
    const at = [...path, "subjectAltNames", index, "type"];
    checkRequiredOneOf(type, ["Hostname", "URI"], at, report);
  });
}
