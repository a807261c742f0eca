/**
 * Public keys: key pairs, certificates, CSRs, SPIFFE ids, trust bundles and the verification of
 * chains. Everything from outside is read strictly: shortest DER, no trailing bytes, no control
 * characters in names, no weak and no oversized keys.
 *
 * @module
 */
export { readTrustBundle, sameBundle, type TrustBundle, trustBundle } from "./bundle.ts";
export { type Certificate, readCertificate, readCertificates } from "./certificate.ts";
export { certificateFault } from "./validity.ts";
export { allowedSuites, FIPS_SUITES } from "./cipher_suites.ts";
export { checkSuite, complianceSuites, compliantFetch } from "./compliance.ts";
export { createCsr, createServerCsr, type Csr, readCsr, type ServerCsrNames } from "./csr.ts";
export type { PkiCode } from "./error.ts";
export {
  type AuthorityRequest,
  issueAuthority,
  issueLeaf,
  type Issuer,
  type LeafRequest,
  type Validity,
} from "./issue.ts";
export {
  type Curve,
  generateKey,
  type KeyForm,
  type KeyKind,
  type KeyPair,
  kindOfSpki,
  privateKeyPem,
  readPrivateKey,
  RSA_BITS,
} from "./key.ts";
export { type FileTexts, followFiles, type FollowOptions, readTexts } from "./followed_files.ts";
export { USAGE } from "./leaf.ts";
export type { AlternativeName } from "./names.ts";
export { encodePem, type PemBlock, pemBlocks } from "./pem.ts";
export { isTrustDomain, parseSpiffe, type SpiffeId, spiffeText } from "./spiffe.ts";
export { COMPLIANCE_POLICY } from "./variables.ts";
export { hasSigned, type SignedText } from "./token_signature.ts";
export { checkTime, same, verifyChain, type VerifyOptions } from "./verify.ts";
export { workloadSubject } from "./workload_subject.ts";
