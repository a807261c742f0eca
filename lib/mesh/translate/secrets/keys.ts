/**
 * Keys of secrets, and the tables with them.
 *
 * @module
 */
import { canonicalJson } from "../../../kit/base/mod.ts";
import type { LabelsKey } from "../../derive/mod.ts";
import { CERTIFICATE_OPTIONS } from "../../envoy/mod.ts";
import { converted, type Derived, type KeyCodec, keyOf, text } from "../../graph/mod.ts";
import type { ProxyClass } from "../../model/mod.ts";
import type { SecretTable } from "../resources/mod.ts";

/** Files of a proxy's own certificates, by node metadata. */
export type CertificateFiles = ProxyClass["options"];

export function certificateFilesOf({ options }: ProxyClass): CertificateFiles {
  const names = CERTIFICATE_OPTIONS.filter((name) => options[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, options[name]!]));
}

/** The codec of {@link CertificateFiles}: canonical JSON. */
export const certificateFiles: KeyCodec<CertificateFiles> = converted(text, {
  encode: (files: CertificateFiles) => canonicalJson(files),
  decode: (json) => JSON.parse(json) as CertificateFiles,
});

/** A secret, for proxies of a namespace. */
export interface SecretKey {
  /** Id of the remote cluster that has the secret; empty: the daemon's cluster. */
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
}

/** A secret that Gateways of a namespace refer to. */
export type ReferredKey = Omit<SecretKey, "cluster">;

export const referredKeys: KeyCodec<ReferredKey> = keyOf<ReferredKey>({
  namespace: text,
  name: text,
});

export const secretKeys: KeyCodec<SecretKey> = keyOf<SecretKey>({
  cluster: text,
  namespace: text,
  name: text,
});

export interface CredentialTables {
  /** Names of the secrets that the servers of Gateways name. */
  readonly ofGateways: Derived<readonly string[], LabelsKey>;
  /** Key `""` → names of the secrets that rules for hosts of all namespaces may name. */
  readonly ofRules: Derived<readonly string[]>;
  /** Locality, as `Localities.ofClass` → names of the secrets that rules for certain workloads name. */
  readonly ofLocality: Derived<readonly string[]>;
  readonly secrets: SecretTable<SecretKey>;
  /** Secrets that the Gateway API refers to; a secret that no reference allows is not there. */
  readonly referred: SecretTable<ReferredKey>;
  /** Authorities that BackendTLSPolicies refer to. */
  readonly policyAuthorities: SecretTable<ReferredKey>;
  /** Text of `changeKeys` → names of the pull secrets of the plugins among them. */
  readonly ofPlugins: Derived<readonly string[]>;
  /** Pull secret of the namespace of a plugin. */
  readonly pullSecrets: SecretTable<SecretKey>;
}
