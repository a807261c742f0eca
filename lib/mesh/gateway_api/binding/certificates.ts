/**
 * References of listeners and Gateways to certificates.
 *
 * @module
 */
import type { ObjectKey } from "../../model/mod.ts";
import { isPermitted } from "./grants.ts";
import type { GrantLookup, MaterialLookup, MaterialState } from "./lookups.ts";
import { type ObjectReference, referenced } from "./objects.ts";

/** The object with the reference. */
export interface Referrer extends ObjectKey {
  /** `Gateway`, `ListenerSet` or `BackendTLSPolicy`. */
  readonly kind: string;
}

/** The reason why a reference or an object cannot be used. */
export interface RefFault {
  readonly reason: string;
  readonly message: string;
}

/** Several references: those that can be used, and the first fault. */
export interface ResolvedRefs {
  readonly valid: readonly (ObjectKey & { readonly kind: "Secret" | "ConfigMap" })[];
  readonly fault?: RefFault;
}

/** Resolves references to Secrets with a certificate and its key. */
export function resolveCertificates(
  refs: readonly ObjectReference[],
  owner: Referrer,
  look: GrantLookup & MaterialLookup,
  reason = "InvalidCertificateRef",
): ResolvedRefs {
  return collect(refs, (ref) => {
    const kind = ref.kind || "Secret";
    if ((ref.group ?? "") !== "" || kind !== "Secret") {
      return fault(
        reason,
        `${kind} "${ref.name}" is not a Secret; name a Secret of the core group`,
      );
    }
    const target = { ...referenced(ref, owner.namespace), kind } as const;
    return denied(target, owner, look) ??
      unusable(target, look.certificate(target), reason) ?? target;
  });
}

/** Reasons of faults of authorities; they differ between the objects that name them. */
export interface AuthorityReasons {
  readonly kind: string;
  readonly reference: string;
}

/** Resolves references to the certificates of authorities, in ConfigMaps and, where `secrets`, Secrets. */
export function resolveAuthorities(
  refs: readonly ObjectReference[],
  owner: Referrer,
  look: GrantLookup & MaterialLookup,
  reasons: AuthorityReasons,
): ResolvedRefs {
  return collect(refs, (ref) => {
    const { kind = "ConfigMap" } = ref;
    if ((ref.group ?? "") !== "" || (kind !== "ConfigMap" && kind !== "Secret")) {
      const message = `${kind} "${ref.name}" is neither a ConfigMap nor a Secret of the core group`;
      return fault(reasons.kind, message);
    }
    const target = { ...referenced(ref, owner.namespace), kind } as const;
    return denied(target, owner, look) ??
      unusable(target, look.authorities(kind, target), reasons.reference) ?? target;
  });
}

type Target = ResolvedRefs["valid"][number];

function collect(
  refs: readonly ObjectReference[],
  resolve: (ref: ObjectReference) => Target | RefFault,
): ResolvedRefs {
  const results = refs.map(resolve);
  const isFault = (one: Target | RefFault): one is RefFault => "reason" in one;
  const first = results.find(isFault);
  return {
    valid: results.filter((one): one is Target => !isFault(one)),
    ...(first === undefined ? {} : { fault: first }),
  };
}

function fault(reason: string, message: string): RefFault {
  return { reason, message };
}

function denied(target: Target, owner: Referrer, look: GrantLookup): RefFault | undefined {
  if (isPermitted({ from: owner, to: { ...target, group: "" } }, look)) return undefined;
  const message = `${named(target)} is in another namespace; ` +
    `allow it by a ReferenceGrant in "${target.namespace}" from ${owner.kind} in "${owner.namespace}"`;
  return fault("RefNotPermitted", message);
}

function unusable(target: Target, state: MaterialState, reason: string): RefFault | undefined {
  if (state === "valid") return undefined;
  if (state === "missing") return fault(reason, `${named(target)} does not exist`);
  return fault(reason, `${named(target)}: ${state.invalid}`);
}

function named({ kind, namespace, name }: Target): string {
  return `${kind} "${namespace}/${name}"`;
}
