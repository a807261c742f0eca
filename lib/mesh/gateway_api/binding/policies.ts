/**
 * BackendTLSPolicies: their targets, their authorities, and conflicts of several.
 *
 * @module
 */
import {
  type AuthorityReasons,
  type Referrer,
  type RefFault,
  resolveAuthorities,
  type ResolvedRefs,
} from "./certificates.ts";
import type { BackendTarget, GrantLookup, MaterialLookup, ServiceLookup } from "./lookups.ts";
import type { ConfigObject } from "../../model/mod.ts";
import type {
  BackendTlsPolicy,
  BackendTrafficPolicy,
  ObjectReference,
  TlsValidation,
} from "./objects.ts";

/** A target of a policy: a Service, or one of its ports. */
export type PolicyTarget = ObjectReference & { readonly sectionName?: string };

/** A policy with targets. */
type Targeting = ConfigObject<{ readonly targetRefs?: readonly PolicyTarget[] }>;

/** The lookups of policies of one kind. */
export interface TargetLookups<Policy extends Targeting> {
  service: ServiceLookup["service"];
  /** The policies of a namespace that name a target of that group, kind and name. */
  policies(namespace: string, target: ObjectReference): readonly Policy[];
}

/** The lookups of `bindBackendTls`. */
export interface PolicyLookups
  extends GrantLookup, MaterialLookup, TargetLookups<BackendTlsPolicy> {
}

/** A target of a policy as it was found. */
export interface BoundPolicyTarget {
  readonly ref: PolicyTarget;
  readonly target?: BackendTarget;
  readonly fault?: RefFault;
}

/** A BackendTLSPolicy; one that is rejected has no effect on any target. */
export interface BoundBackendTls extends BoundValidation {
  readonly targets: readonly BoundPolicyTarget[];
}

const REASONS: AuthorityReasons = { kind: "InvalidKind", reference: "InvalidCACertificateRef" };

/** An XBackendTrafficPolicy. */
export interface BoundBackendTraffic {
  readonly targets: readonly BoundPolicyTarget[];
}

/** Binds an XBackendTrafficPolicy to Services of its namespace. */
export function bindBackendTraffic(
  policy: BackendTrafficPolicy,
  look: TargetLookups<BackendTrafficPolicy>,
): BoundBackendTraffic {
  return { targets: (policy.spec.targetRefs ?? []).map((ref) => bindTarget(policy, ref, look)) };
}

/** Binds a BackendTLSPolicy to Services of its namespace. */
export function bindBackendTls(policy: BackendTlsPolicy, look: PolicyLookups): BoundBackendTls {
  const { validation, targetRefs = [] } = policy.spec;
  const { namespace, name } = policy.meta;
  return {
    targets: targetRefs.map((ref) => bindTarget(policy, ref, look)),
    ...bindValidation(validation ?? {}, { kind: "BackendTLSPolicy", namespace, name }, look),
  };
}

/** Validation of servers' certificates. */
export interface BoundValidation {
  readonly authorities: ResolvedRefs;
  /** True if the authorities of the system are trusted. */
  readonly system: boolean;
  /** The reason why no server is trusted. */
  readonly rejected?: RefFault;
}

/** Finds the authorities that an object names. */
export function bindValidation(
  validation: TlsValidation,
  owner: Referrer,
  look: GrantLookup & MaterialLookup,
): BoundValidation {
  const authorities = resolveAuthorities(validation.caCertificateRefs ?? [], owner, look, REASONS);
  const system = wellKnownOf(validation) === "System";
  const rejected = validationFault(validation, authorities, system);
  return { authorities, system, ...(rejected === undefined ? {} : { rejected }) };
}

/** The authorities that a policy names by a word. */
function wellKnownOf(validation: TlsValidation): string {
  return validation.wellKnownCACertificates || validation.wellKnownCaCertificates || "";
}

function validationFault(
  validation: TlsValidation,
  authorities: ResolvedRefs,
  system: boolean,
): RefFault | undefined {
  const known = wellKnownOf(validation);
  if (known && !system) {
    const message = `wellKnownCACertificates "${known}" is not supported; use System`;
    return { reason: "Invalid", message };
  }
  if (system || authorities.valid.length > 0) return undefined;
  const message = "no certificate of an authority that servers are checked with can be used";
  return { reason: "NoValidCACertificate", message };
}

function bindTarget<Policy extends Targeting>(
  policy: Policy,
  ref: PolicyTarget,
  look: TargetLookups<Policy>,
): BoundPolicyTarget {
  const { namespace, kind } = policy.meta;
  if ((ref.group ?? "") !== "" || (ref.kind || "Service") !== "Service") {
    const message = `${ref.kind} "${ref.name}" is no target; name a Service of the core group`;
    return { ref, fault: { reason: "Invalid", message } };
  }
  const target = look.service("Service", { namespace, name: ref.name });
  if (target === undefined) {
    const message = `Service "${namespace}/${ref.name}" does not exist`;
    return { ref, fault: { reason: "TargetNotFound", message } };
  }
  const first = look.policies(namespace, ref).filter((other) => names(other, ref))
    .toSorted(byPrecedence)[0];
  if (first === undefined || first.meta.name === policy.meta.name) return { ref, target };
  const message = `${kind} "${namespace}/${first.meta.name}" has the same target and ` +
    "precedes; remove one";
  return { ref, target, fault: { reason: "Conflicted", message } };
}

function names({ spec }: Targeting, ref: PolicyTarget): boolean {
  return (spec.targetRefs ?? []).some((one) =>
    one.name === ref.name && (one.group ?? "") === (ref.group ?? "") &&
    (one.kind || "Service") === (ref.kind || "Service") &&
    (one.sectionName || "") === (ref.sectionName || "")
  );
}

/** The oldest first, then by name. */
function byPrecedence(a: Targeting, b: Targeting): number {
  const age = (a.meta.creationTime || Infinity) - (b.meta.creationTime || Infinity);
  if (age !== 0 && !Number.isNaN(age)) return age;
  return a.meta.name < b.meta.name ? -1 : 1;
}
