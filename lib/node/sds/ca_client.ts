/**
 * The client of the certificate authority.
 *
 * @module
 */
import { type Counter, counter } from "../../kit/metrics/mod.ts";
import { encode, fromBinary } from "../../kit/proto/mod.ts";
import { openStream, type RpcClientTls, RpcError } from "../../kit/rpc/mod.ts";
import {
  MeshCertificateRequestSchema,
  MeshCertificateResponseSchema,
} from "#mesh/v1/auth/ca_pb.ts";

/** One request for a certificate. */
export interface SigningRequest {
  /** `host:port` of the authority. */
  readonly target: string;
  readonly tls: RpcClientTls;
  /** Token of the workload; `undefined`: the client certificate authenticates. */
  readonly token: string | undefined;
  readonly clusterId: string | undefined;
  /** CSR in PEM. */
  readonly csr: string;
  /** Requested lifetime, ms. */
  readonly ttlMs: number;
  /** Name of the signer; `undefined`: the authority's default. */
  readonly signer: string | undefined;
}

/** Time for an answer, ms. It exceeds the default of `MESHCA_SIGNER_TIMEOUT` of the daemon. */
const TIMEOUT_MS = 15_000;
/** Largest answer, bytes. */
const MAX_ANSWER = 1024 * 1024;
const labels = ["request_type"];
const TYPE = { request_type: "csr" };

const requests: Counter = counter({
  name: "num_outgoing_requests",
  help: "Requests to other servers, such as the certificate authority.",
  labels,
});
const failures: Counter = counter({
  name: "num_failed_outgoing_requests",
  help: "Requests to other servers that failed.",
  labels,
});
const retries: Counter = counter({
  name: "num_outgoing_retries",
  help: "Requests to other servers that repeated a failed one.",
  labels,
});
const latency: Counter = counter({
  name: "outgoing_latency",
  help: "Time of requests to other servers, in milliseconds.",
  labels,
});

/** Counts a request that repeats a failed one. */
export function countRetry(): void {
  retries.inc(TYPE);
}

/** Asks for a certificate. Resolves to its chain, PEM, the root last. Rejects with `RpcError`. */
export async function requestCertificate(request: SigningRequest): Promise<string[]> {
  const begin = performance.now();
  requests.inc(TYPE);
  try {
    return await ask(request);
  } catch (error) {
    failures.inc(TYPE);
    throw error;
  } finally {
    latency.inc(TYPE, performance.now() - begin);
  }
}

async function ask(
  { target, tls, token, clusterId, csr, ttlMs, signer }: SigningRequest,
): Promise<string[]> {
  const stream = openStream({
    target,
    tls,
    path: "/mesh.v1.auth.MeshCertificateService/CreateCertificate",
    maxReceive: MAX_ANSWER,
    metadata: {
      ...token !== undefined && { authorization: `Bearer ${token}` },
      ...clusterId !== undefined && { clusterid: clusterId },
    },
  });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    stream.close();
  }, TIMEOUT_MS);
  try {
    const validityDuration = BigInt(Math.ceil(ttlMs / 1000));
    // The name of the field is of the certificate service: mesh.v1.auth, MeshCertificateRequest.
    const metadata = signer === undefined ? {} : { metadata: { CertSigner: signer } };
    stream.send(encode(MeshCertificateRequestSchema, { csr, validityDuration, ...metadata }));
    stream.end();
    for await (const message of stream.messages) {
      return fromBinary(MeshCertificateResponseSchema, message).certChain;
    }
    throw new RpcError("UNAVAILABLE", isLate ? "no answer in time" : "no answer");
  } finally {
    clearTimeout(timer);
    stream.close();
    await stream.ended;
  }
}
