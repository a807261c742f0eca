/**
 * Certificate signing requests to a signer of the orchestrator.
 *
 * @module
 */
import { MeshError } from "../base/mod.ts";
import type { OrchClient } from "./client.ts";
import type { OrchObject } from "./object.ts";
import { sleep } from "./rate.ts";
import { createObject, deleteObject, getObject, objectPath } from "./resource.ts";
import { CERTIFICATE_REQUEST } from "./types.ts";

/** Pause between two looks at a request, in milliseconds. */
const POLL_MS = 250;

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
 * @throws MeshError `orch-signing` if the request is denied, fails or takes too long
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

async function approve(client: OrchClient, created: CertificateRequest): Promise<void> {
  await client.json({
    method: "PUT",
    path: `${objectPath(CERTIFICATE_REQUEST, created.metadata)}/approval`,
    body: {
      ...created,
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
  for (;;) {
    const { status } = await getObject<CertificateRequest>(
      client,
      CERTIFICATE_REQUEST,
      { name },
      signal === undefined ? {} : { signal },
    );
    if (status?.certificate) return atob(status.certificate);
    const refused = status?.conditions?.find(({ type }) => type === "Denied" || type === "Failed");
    if (refused !== undefined) {
      throw failed(`signer ${signer}: ${refused.type}: ${refused.message ?? refused.reason ?? ""}`);
    }
    if (performance.now() > end) throw failed(`signer ${signer} did not answer in ${timeoutMs} ms`);
    await sleep(POLL_MS, signal);
  }
}

function failed(message: string): MeshError {
  return new MeshError("orch-signing", message, {
    remedy: "Check that the signer runs, and that it accepts these usages and names.",
  });
}
