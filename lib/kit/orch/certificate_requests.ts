/**
 * Certificate signing requests to a signer of the orchestrator.
 *
 * @module
 */
import { MeshError, printable } from "../base/mod.ts";
import type { OrchClient } from "./client.ts";
import { isConflict } from "./error.ts";
import type { OrchObject } from "./object.ts";
import { type Backoff, pauseAfter, sleep } from "../async/mod.ts";
import { createObject, deleteObject, getObject, objectPath } from "./resource.ts";
import { CERTIFICATE_REQUEST } from "./types.ts";

/** Pauses between two reads of a request: they grow, so that a silent signer costs few requests. */
const POLLS: Backoff = { first: 250, longest: 2_000, growth: 1.5 };

/** Conditions that end a request. */
const REFUSALS: readonly string[] = ["Denied", "Failed"];
const CODES: Readonly<Record<string, string>> = {
  Denied: "orch-signing-denied",
  Failed: "orch-signing-failed",
};
/** Attempts to approve a request that other clients change. */
const APPROVALS = 5;
/** Longest reason of a signer in an error, in characters. */
const MAX_REASON = 300;
const DENIED =
  "Somebody, or a policy of the cluster, denies requests of this signer: allow those of the daemon.";
const FAILED =
  "Read the signer's log: its policy must allow these usages, names and this lifetime.";
const SILENT =
  "Check that the controller of this signer runs, and that the signer's name is right.";

/** A certificate to be signed. */
export interface SigningRequest {
  /** PEM text of the request. */
  readonly csr: string;
  /** Such as `kubernetes.io/kube-apiserver-client` or `DOMAIN/NAME`. */
  readonly signer: string;
  readonly usages: readonly string[];
  /** Requested life, in seconds; the signer may shorten it. */
  readonly seconds?: number;
  /** True: the client approves the request itself, which needs a role for it. */
  readonly approve: boolean;
  /** Waits at most this time for the certificate, in milliseconds. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

interface Condition {
  readonly type: string;
  readonly reason?: string;
  readonly message?: string;
}

interface CertificateRequest extends OrchObject {
  readonly status?: { readonly certificate?: string; readonly conditions?: readonly Condition[] };
}

/**
 * Requests a certificate and waits for it. The request object is deleted afterwards.
 *
 * @returns PEM text, the leaf first
 * @throws MeshError `orch-signing-denied`, `orch-signing-failed` with the reason of the request's
 * condition, `orch-signing-timeout`; `OrchError`
 */
export async function requestCertificate(
  client: OrchClient,
  request: SigningRequest,
): Promise<string> {
  const created = await createObject<CertificateRequest>(client, CERTIFICATE_REQUEST, {
    apiVersion: "certificates.k8s.io/v1",
    kind: "CertificateSigningRequest",
    metadata: { name: "", generateName: "mesh-csr-" },
    spec: {
      request: btoa(request.csr),
      signerName: request.signer,
      usages: request.usages,
      ...(request.seconds === undefined ? {} : { expirationSeconds: request.seconds }),
    },
  } as OrchObject);
  const { name } = created.metadata;
  try {
    if (request.approve) await approve(client, created);
    return await waitFor(client, name, request);
  } finally {
    await deleteObject(client, CERTIFICATE_REQUEST, { name }).catch(() => {});
  }
}

/** Approves; a request that another client changes meanwhile is read again. */
async function approve(client: OrchClient, created: CertificateRequest): Promise<void> {
  let current = created;
  for (let attempt = 1;; attempt++) {
    const isRefused = current.status?.conditions?.some(({ type }) => REFUSALS.includes(type));
    if (isRefused) return;
    try {
      return await putApproval(client, current);
    } catch (error) {
      if (!isConflict(error) || attempt === APPROVALS) throw error;
    }
    const { name } = created.metadata;
    current = await getObject<CertificateRequest>(client, CERTIFICATE_REQUEST, { name });
  }
}

async function putApproval(client: OrchClient, current: CertificateRequest): Promise<void> {
  await client.json({
    method: "PUT",
    path: `${objectPath(CERTIFICATE_REQUEST, current.metadata)}/approval`,
    body: {
      ...current,
      status: {
        conditions: [{
          type: "Approved",
          status: "True",
          reason: "MeshApproved",
          message: "Approved by the control plane of the mesh",
        }],
      },
    },
  });
}

async function waitFor(
  client: OrchClient,
  name: string,
  { signer, timeoutMs, signal }: SigningRequest,
): Promise<string> {
  const end = performance.now() + timeoutMs;
  for (let polls = 1;; polls++) {
    const { status } = await getObject<CertificateRequest>(
      client,
      CERTIFICATE_REQUEST,
      { name },
      signal === undefined ? {} : { signal },
    );
    if (status?.certificate) return atob(status.certificate);
    const refused = status?.conditions?.find(({ type }) => REFUSALS.includes(type));
    if (refused !== undefined) {
      const why = printable(
        (refused.message || refused.reason || "no reason").slice(0, MAX_REASON),
      );
      const code = CODES[refused.type]!;
      const remedy = refused.type === "Denied" ? DENIED : FAILED;
      throw new MeshError(code, `signer ${signer}: ${refused.type}: ${why}`, { remedy });
    }
    const left = end - performance.now();
    if (left <= 0) {
      const message = `signer ${signer} did not answer in ${timeoutMs} ms`;
      throw new MeshError("orch-signing-timeout", message, { remedy: SILENT });
    }
    await sleep(Math.min(pauseAfter(polls, POLLS), left), signal);
    signal?.throwIfAborted();
  }
}
