/**
 * A listener by itself: protocol, kinds of routes, certificates.
 *
 * @module
 */
import {
  type Referrer,
  type RefFault,
  resolveAuthorities,
  resolveCertificates,
  type ResolvedRefs,
} from "./certificates.ts";
import type { Conflict } from "./conflicts.ts";
import { servedKinds, supportedKinds, TLS_MODE_OPTION } from "./kinds.ts";
import type { GrantLookup, MaterialLookup } from "./lookups.ts";
import type { FrontendTls, GatewaySpec, ListenerSpec } from "./objects.ts";

/** Validation of the certificates of clients at a port. */
export interface BoundFrontend {
  readonly authorities: ResolvedRefs;
  /** True if clients without a valid certificate are served, too (`AllowInsecureFallback`). */
  readonly insecureFallback: boolean;
}

/** A listener with what was found out about it. */
export interface BoundListener {
  /** The object that it stands in. */
  readonly owner: Referrer;
  /** Its position in `spec.listeners` of that object. */
  readonly index: number;
  readonly spec: ListenerSpec;
  /** The kinds of routes that it serves and allows. */
  readonly kinds: readonly string[];
  /** The certificates that it presents. */
  readonly certificates: ResolvedRefs;
  readonly frontend?: BoundFrontend;
  readonly conflict?: Conflict;
  /** The reason why it is not accepted, beside a conflict. */
  readonly rejected?: RefFault;
  /** The first reference that could not be resolved. */
  readonly unresolved?: RefFault;
  /** True if another listener of HTTPS of its port has overlapping hostnames. */
  readonly overlaps: boolean;
  /** True if proxies are given the listener. */
  readonly programmed: boolean;
}

const AUTHORITY_REASONS = {
  kind: "InvalidCACertificateKind",
  reference: "InvalidCACertificateRef",
} as const;

/** The validation of clients at a port, by the TLS of its Gateway. */
export function frontendOf(
  tls: GatewaySpec["tls"],
  port: number,
): FrontendTls["validation"] | undefined {
  const found = tls?.frontend?.perPort?.find((one) => one.port === port)?.tls;
  return (found ?? tls?.frontend?.default)?.validation;
}

/** Facts about a listener from its Gateway and from its neighbours. */
export interface Surroundings {
  readonly owner: Referrer;
  readonly index: number;
  /** The Gateway, which has the validation of clients. */
  readonly gateway: Referrer;
  readonly tls: GatewaySpec["tls"];
  readonly conflict: Conflict | undefined;
  readonly overlaps: boolean;
}

/** Checks one listener. */
export function bindListener(
  spec: ListenerSpec,
  around: Surroundings,
  look: GrantLookup & MaterialLookup,
): BoundListener {
  const { owner, index, conflict, overlaps } = around;
  const { kinds, invalid } = supportedKinds(spec);
  const certificates = certificatesOf(spec, owner, look);
  const frontend = frontendAt(spec, around, look);
  const rejected = rejection(spec, frontend);
  const [wrong] = invalid;
  const unresolved = certificates.fault ?? frontend?.authorities.fault ??
    (wrong === undefined || rejected !== undefined ? undefined : {
      reason: "InvalidRouteKinds",
      message: `a listener of ${spec.protocol} cannot serve ${wrong.kind}; remove the kind`,
    });
  const presents = certificates.fault === undefined || certificates.valid.length > 0;
  return {
    owner,
    index,
    spec,
    kinds,
    certificates,
    ...(frontend === undefined ? {} : { frontend }),
    ...(conflict === undefined ? {} : { conflict }),
    ...(rejected === undefined ? {} : { rejected }),
    ...(unresolved === undefined ? {} : { unresolved }),
    overlaps,
    programmed: conflict === undefined && rejected === undefined && presents,
  };
}

/** Reports if a listener ends TLS. */
export function terminatesTls({ protocol, tls }: ListenerSpec): boolean {
  return protocol === "HTTPS" || (protocol === "TLS" && tls?.mode !== "Passthrough");
}

function certificatesOf(
  spec: ListenerSpec,
  owner: Referrer,
  look: GrantLookup & MaterialLookup,
): ResolvedRefs {
  if (!terminatesTls(spec)) return { valid: [] };
  const refs = spec.tls?.certificateRefs ?? [];
  if (refs.length > 0) return resolveCertificates(refs, owner, look);
  if (spec.tls?.options?.[TLS_MODE_OPTION] === "MESH_MUTUAL") return { valid: [] };
  const message = "the listener ends TLS and has no certificate; name one in tls.certificateRefs";
  return { valid: [], fault: { reason: "InvalidCertificateRef", message } };
}

function frontendAt(
  spec: ListenerSpec,
  { gateway, tls }: Surroundings,
  look: GrantLookup & MaterialLookup,
): BoundFrontend | undefined {
  const validation = spec.protocol === "HTTPS" ? frontendOf(tls, spec.port) : undefined;
  if (validation === undefined) return undefined;
  const refs = validation.caCertificateRefs ?? [];
  return {
    authorities: resolveAuthorities(refs, gateway, look, AUTHORITY_REASONS),
    insecureFallback: validation.mode === "AllowInsecureFallback",
  };
}

function rejection(
  spec: ListenerSpec,
  frontend: BoundFrontend | undefined,
): RefFault | undefined {
  if (servedKinds(spec) === undefined) {
    const message =
      `protocol "${spec.protocol}" is not supported; use HTTP, HTTPS, TLS, TCP or UDP`;
    return { reason: "UnsupportedProtocol", message };
  }
  const mode = spec.tls?.mode;
  if (spec.protocol === "HTTPS" && mode === "Passthrough") {
    const message = "a listener of HTTPS must end TLS; use protocol TLS for Passthrough";
    return { reason: "UnsupportedValue", message };
  }
  if (frontend !== undefined && frontend.authorities.valid.length === 0) {
    const message = "no certificate of an authority that clients are checked with can be used";
    return { reason: "NoValidCACertificate", message };
  }
  return undefined;
}
