/**
 * The gRPC service that issues certificates: `mesh.v1.auth.MeshCertificateService`.
 *
 * @module
 */
import type { Caller } from "../authn/mod.ts";
import { MeshError, messageOf, printable } from "../../kit/base/mod.ts";
import { scope } from "../../kit/log/mod.ts";
import { parseSpiffe, type SpiffeId, spiffeText } from "../../kit/pki/mod.ts";
import { encode, fromBinary } from "../../kit/proto/mod.ts";
import { type RpcCall, RpcError, type RpcMethod } from "../../kit/rpc/mod.ts";
import {
  type MeshCertificateRequest,
  MeshCertificateRequestSchema,
  MeshCertificateResponseSchema,
} from "#mesh/v1/auth/ca_pb.ts";
import type { Issuance } from "./issuance.ts";
import * as metrics from "./metrics.ts";
import type { RateLimiter } from "./rate.ts";

/** Dependencies of the service. */
export interface CertificateServiceOptions {
  readonly issuance: Issuance;
  /** Authenticates the caller of a call. Rejects for a caller who has no valid credentials. */
  readonly authenticate: (call: RpcCall) => Promise<Caller>;
  /**
   * Reports if a caller may have a certificate for another identity, because a workload with that
   * identity runs on the caller's node. /
   */
  readonly mayImpersonate: (caller: Caller, wanted: SpiffeId) => Promise<boolean>;
  /** Counts requests by the identity that they are for, and of callers that impersonate it apart. */
  readonly limit: RateLimiter;
  /** Told about each certificate issued, for the change of roots. */
  readonly issued?: (identity: SpiffeId, peer: string) => void;
}

const log = scope("serverca");

/** Largest lifetime that is computed with, s; longer ones are refused by the maximum anyway. */
const MAX_SECONDS = 1e11;
/** A caller learns no more than these texts. */
const UNAUTHENTICATED = "request authenticate failure";
const NOT_IMPERSONATED = "request impersonation authentication failure";
/** Reasons for callers by error codes of signers of the orchestrator; the rest is in the log. */
const REASONS: Readonly<Record<string, string>> = {
  "ca-signer": "the signer, or its certificate, cannot be used",
  "orch-signing-denied": "the request was denied",
  "orch-signing-failed": "the signer failed",
  "orch-signing-timeout": "the signer did not answer in time",
};

/** The method `CreateCertificate`. */
export function certificateService(options: CertificateServiceOptions): RpcMethod {
  return {
    path: "/mesh.v1.auth.MeshCertificateService/CreateCertificate",
    admission: true,
    async handle(call) {
      const message = await firstMessage(call);
      metrics.csrs.inc();
      const caller = await authenticate(options, call);
      call.admit();
      const request = parse(message);
      const identity = await identityOf(options, caller, request);
      if (!options.limit(debtorOf(caller, identity, call.peer))) {
        metrics.limited.inc();
        throw new RpcError("RESOURCE_EXHAUSTED", "too many requests for certificates");
      }
      call.send(encode(MeshCertificateResponseSchema, {
        certChain: await issue(options, call, identity, request),
      }));
      metrics.issued.inc();
      options.issued?.(identity, call.peer);
      log.debug("issued a certificate", { identity: spiffeText(identity), peer: call.peer });
    },
  };
}

async function firstMessage(call: RpcCall): Promise<Uint8Array> {
  for await (const message of call.messages) return message;
  throw new RpcError("INVALID_ARGUMENT", "the request is empty");
}

async function authenticate(options: CertificateServiceOptions, call: RpcCall): Promise<Caller> {
  try {
    return await options.authenticate(call);
  } catch (error) {
    metrics.authenticationFailures.inc();
    log.warn("a request for a certificate was not authenticated", {
      peer: call.peer,
      reason: messageOf(error),
    });
    throw new RpcError("UNAUTHENTICATED", UNAUTHENTICATED);
  }
}

function parse(message: Uint8Array): MeshCertificateRequest {
  try {
    return fromBinary(MeshCertificateRequestSchema, message);
  } catch {
    metrics.csrParsingErrors.inc();
    throw new RpcError("INVALID_ARGUMENT", "the request is malformed");
  }
}

/** The identity that the certificate is for: the caller's, or one that it may impersonate. */
async function identityOf(
  { mayImpersonate }: CertificateServiceOptions,
  caller: Caller,
  { metadata }: MeshCertificateRequest,
): Promise<SpiffeId> {
  const [own] = caller.identities;
  if (!own) {
    metrics.identityErrors.inc();
    throw new RpcError("UNAUTHENTICATED", UNAUTHENTICATED);
  }
  const asked = metadata?.ImpersonatedIdentity;
  if (asked === undefined || asked === "") return own;
  const wanted = typeof asked === "string" ? parseSpiffe(asked) : undefined;
  const mayHave = wanted && wanted.trustDomain === own.trustDomain &&
    await mayImpersonate(caller, wanted).catch((error) => {
      log.warn("the workloads of a node cannot be read", { reason: messageOf(error) });
      return false;
    });
  if (mayHave) return wanted;
  metrics.authenticationFailures.inc();
  log.warn("a caller may not have a certificate for another identity", {
    caller: spiffeText(own),
    wanted: printable(String(asked).slice(0, 300)),
  });
  throw new RpcError("UNAUTHENTICATED", NOT_IMPERSONATED);
}

/**
 * The name that a request counts for. One for the identity of another workload counts for the caller
 * and its address: a node must not use up the requests of that workload on other nodes.
 */
function debtorOf({ identities: [own] }: Caller, identity: SpiffeId, peer: string): string {
  const [name, caller] = [spiffeText(identity), spiffeText(own!)];
  return name === caller ? name : `${name} by ${caller} at ${peer.replace(/:\d+$/, "")}`;
}

async function issue(
  { issuance }: CertificateServiceOptions,
  { peer, ended }: RpcCall,
  identity: SpiffeId,
  { csr, validityDuration, metadata }: MeshCertificateRequest,
): Promise<string[]> {
  const name = spiffeText(identity);
  const seconds = Math.max(-1, Math.min(Number(validityDuration), MAX_SECONDS));
  try {
    const signer = metadata?.CertSigner;
    return await issuance.issue({
      csr,
      identity,
      ttlMs: seconds * 1000,
      client: { peer, ended },
      ...(typeof signer === "string" && signer !== "" ? { signer } : {}),
    });
  } catch (error) {
    log.warn("a request for a certificate failed", {
      identity: name,
      reason: messageOf(error),
      ...(error instanceof MeshError && error.remedy !== undefined && { remedy: error.remedy }),
    });
    throw refusal(error);
  }
}

/** The error for the client. The operator's log has the reason. */
function refusal(error: unknown): RpcError {
  const code = error instanceof MeshError ? error.code : "";
  if (code === "ca-ttl") return new RpcError("INVALID_ARGUMENT", "CSR signing error (TTL)");
  if (code === "ca-gone") return new RpcError("CANCELLED", "the client is gone");
  if (code === "ca-busy") {
    metrics.limited.inc();
    return new RpcError("UNAVAILABLE", "too many requests for certificates");
  }
  if (code.startsWith("pki-") || code === "ca-csr") {
    metrics.csrParsingErrors.inc();
    return new RpcError("INVALID_ARGUMENT", "CSR signing error (CSR)");
  }
  metrics.signingErrors.inc();
  const reason = REASONS[code];
  return new RpcError("INTERNAL", `CSR signing error${reason === undefined ? "" : ` (${reason})`}`);
}
