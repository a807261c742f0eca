/**
 * Issuing workload certificates by signers of the orchestrator: which signer, and which CSRs.
 *
 * @module
 */
import { MeshError, printable } from "../../kit/base/mod.ts";
import { type Csr, readCsr, same, spiffeText } from "../../kit/pki/mod.ts";
import { allowedTtl, type Issuance, type TtlLimits } from "./issuance.ts";
import { signerError } from "./signer_roots.ts";
import type { Signers } from "./signers.ts";

/** Name of a signer within its domain; Kubernetes, `spec.signerName` of CertificateSigningRequest. */
const NAME = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;
/** Domain and path. */
const SIGNER = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?\/[-a-z0-9./]*[a-z0-9]$/;
const DOMAIN = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?(\/[a-z0-9]([-a-z0-9.]*[a-z0-9])?)*$/;
/** Signers in this domain issue certificates for the API server's own clients and servers. */
const CLUSTER_DOMAIN = "kubernetes.io/";
const MAX_NAME = 253;
/** The subject with an empty organization (O) that some libraries write for none. */
const EMPTY_ORGANIZATION = Uint8Array.of(
  ...[0x30, 0x0b, 0x31, 0x09, 0x30, 0x07, 0x06, 0x03, 0x55, 0x04, 0x0a, 0x13, 0x00],
);

/** Signers by variables; empty: not set. */
export interface SignerSettings {
  /** `ORCH_SIGNER` */
  readonly signer: string;
  /** `CERT_SIGNER_DOMAIN` */
  readonly domain: string;
}

/**
 * Checks the settings.
 *
 * @throws MeshError `ca-signer`
 */
export function signerNames(settings: SignerSettings): SignerSettings {
  const { signer, domain } = settings;
  if (signer === "" && domain === "") {
    throw signerError("EXTERNAL_CA is set, and no signer is", {
      remedy: "Set ORCH_SIGNER to the full name of a signer, or CERT_SIGNER_DOMAIN.",
    });
  }
  if (signer !== "") checkSigner("ORCH_SIGNER", signer);
  if (domain !== "" && (!DOMAIN.test(domain) || isOfCluster(`${domain}/`))) {
    throw signerError(`CERT_SIGNER_DOMAIN: ${JSON.stringify(domain)} is no domain of signers`, {
      remedy: "Write a domain such as signers.example.com, which is not kubernetes.io.",
    });
  }
  return settings;
}

/**
 * Checks the full name of a signer.
 *
 * @throws MeshError `ca-signer`
 */
export function checkSigner(variable: string, signer: string): void {
  if (SIGNER.test(signer) && !isOfCluster(signer)) return;
  throw signerError(`${variable}: ${JSON.stringify(signer)} is no signer for the mesh`, {
    remedy: "Write DOMAIN/NAME of a signer; those of kubernetes.io sign for the cluster itself.",
  });
}

function isOfCluster(signer: string): boolean {
  return signer.startsWith(CLUSTER_DOMAIN);
}

/** Options of {@link createRegistration}. */
export interface RegistrationIssuance extends TtlLimits {
  readonly signers: Signers;
  readonly names: SignerSettings;
}

/**
 * Issues certificates by signers. A signer signs what the CSR has, so a CSR must have exactly the
 * identity of its caller, and no subject beyond the workload. Lifetimes below 10 minutes, which the
 * API does not accept, become 10 minutes.
 *
 * @throws MeshError from the returned function: `ca-csr` for other CSRs, the codes of `Issuance`
 * and of `Signers`
 */
export function createRegistration(options: RegistrationIssuance): Issuance {
  const { signers, names } = options;
  return {
    async issue({ csr: pem, identity, ttlMs: asked, signer: name, client }) {
      const ttlMs = allowedTtl(asked, options);
      const signer = signerOf(names, name);
      const csr = await readCsr(pem);
      checkCsr(csr, spiffeText(identity));
      const chain = await signers.sign({
        signer,
        csr: pem,
        spki: csr.spki,
        names: csr.names,
        ttlMs,
        isDefault: signer === names.signer,
        ...(client === undefined ? {} : { client }),
      });
      const root = chain.at(-1)!;
      const { roots } = signers.roots.current().bundle;
      const others = roots.filter(({ der }) => !same(der, root.der));
      return [...chain.slice(0, -1), ...others, root].map(({ pem }) => pem);
    },
  };
}

function signerOf({ signer, domain }: SignerSettings, name: string | undefined): string {
  if (name === undefined) {
    if (signer !== "") return signer;
    throw signerError("the request names no signer", {
      remedy: "Set ORCH_SIGNER, or let the agent name a signer (CertSigner).",
    });
  }
  const shown = printable(name.slice(0, MAX_NAME));
  if (domain === "") {
    throw signerError(`the request names signer ${shown}, and there is no domain for it`, {
      remedy: "Set CERT_SIGNER_DOMAIN, or let the agent name no signer.",
    });
  }
  if (name.length <= MAX_NAME && NAME.test(name)) return `${domain}/${name}`;
  throw signerError(`the request names signer ${shown}, which is not a name`, {
    remedy: "Write a signer's name without its domain: letters of lower case, digits, - and dots.",
  });
}

function checkCsr({ names, subject, subjectAttributes, workload }: Csr, identity: string): void {
  const [name, ...more] = names;
  if (name?.type !== "uri" || name.value !== identity || more.length > 0) {
    throw new MeshError("ca-csr", `the CSR does not have exactly the name ${identity}`, {
      remedy: "Update the agent, and set its TRUST_DOMAIN to the one of the mesh: a signer signs " +
        "the names of the CSR.",
    });
  }
  const isPlain = subjectAttributes === 0 || same(subject, EMPTY_ORGANIZATION) ||
    (subjectAttributes === 1 && workload !== undefined);
  if (isPlain) return;
  throw new MeshError("ca-csr", "the CSR has a subject", {
    remedy: "Leave the subject of the CSR empty: a signer may sign it.",
  });
}
