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
      const message = `${kind} "${ref.name}" is not a Secret; name a Secret of the core group`;
      return { fault: fault(reason, message) };
    }
    const target = { ...referenced(ref, owner.namespace), kind } as const;
    const refused = denied(target, owner, look);
    return refused === undefined
      ? stated(target, look.certificate(target), reason)
      : { fault: refused };
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
      return { fault: fault(reasons.kind, message) };
    }
    const target = { ...referenced(ref, owner.namespace), kind } as const;
    const refused = denied(target, owner, look);
    return refused === undefined
      ? stated(target, look.authorities(kind, target), reasons.reference)
      : { fault: refused };
  });
}

type Target = ResolvedRefs["valid"][number];

/** A reference: what it names, if that can be used, and what is wrong with it. */
interface Resolved {
  readonly target?: Target;
  readonly fault?: RefFault;
}

function collect(
  refs: readonly ObjectReference[],
  resolve: (ref: ObjectReference) => Resolved,
): ResolvedRefs {
  const results = refs.map(resolve);
  const first = results.find(({ fault }) => fault !== undefined)?.fault;
  return {
    valid: results.map(({ target }) => target).filter((one) => one !== undefined),
    ...(first === undefined ? {} : { fault: first }),
  };
}

/** The reference to an object in this state; a faulty one whose last good version serves is used, too. */
function stated(target: Target, state: MaterialState, reason: string): Resolved {
  if (state === "valid") return { target };
  if (state === "missing") return { fault: fault(reason, `${named(target)} does not exist`) };
  const wrong = fault(reason, `${named(target)}: ${state.invalid}`);
  return state.lastGoodServes ? { target, fault: wrong } : { fault: wrong };
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

function named({ kind, namespace, name }: Target): string {
  return `${kind} "${namespace}/${name}"`;
}
