/**
 * XBackends: the hosts that they stand for, and whether requests can be sent there.
 *
 * @module
 */
import type { ObjectKey } from "../../model/mod.ts";
import type { RefFault } from "./certificates.ts";
import type { GrantLookup, MaterialLookup } from "./lookups.ts";
import type { ApiBackend } from "./objects.ts";
import { bindValidation, type BoundValidation } from "./policies.ts";

/**
 * The port of the service that an XBackend becomes. It is not that of the external host, so that
 * proxies do not listen for other connections to that.
 */
export const BACKEND_PORT = 15490;

/** The host of the service that an XBackend becomes. Namespaces have no dots: it is of one object. */
export function backendHost({ namespace, name }: ObjectKey): string {
  return `${name}.${namespace}.xbackend.mesh.internal`;
}

/** An XBackend. */
export interface BoundBackend {
  /** Validation of the server; undefined: without TLS, or by its host and the system's authorities. */
  readonly validation?: BoundValidation;
  /** The reason why no request is sent there. */
  readonly rejected?: RefFault;
}

/** Binds an XBackend to the authorities that it names. */
export function bindBackend(
  { meta: { namespace, name }, spec: { tls } }: ApiBackend,
  look: GrantLookup & MaterialLookup,
): BoundBackend {
  if (tls?.mode === "ClientAndServer") {
    const message =
      "the mode ClientAndServer is not supported; use ServerOnly, and a Gateway with " +
      "tls.backend.clientCertificateRef and a BackendTLSPolicy to show a certificate";
    return { rejected: { reason: "UnsupportedValue", message } };
  }
  if (tls?.mode !== "ServerOnly" || tls.validation === undefined) return {};
  const owner = { kind: "XBackend", namespace, name };
  const validation = bindValidation(tls.validation, owner, look);
  return { validation, ...(validation.rejected && { rejected: validation.rejected }) };
}
