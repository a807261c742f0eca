/**
 * Tables of proxy classes: resources of their workload, and their own certificates.
 *
 * @module
 */
import { canonicalJson } from "../../../kit/base/mod.ts";
import { CERTIFICATE_OPTIONS } from "../../envoy/mod.ts";
import { converted, type KeyCodec, text } from "../../graph/mod.ts";
import type { ProxyClass } from "../../model/mod.ts";
import type { Family } from "../context/mod.ts";
import type { ClusterTable, ListenerTable, SecretTable } from "../resources/mod.ts";

/** Files of a proxy's own certificates, by node metadata. */
export type CertificateFiles = ProxyClass["options"];

/** The files of a class. */
export function certificateFilesOf({ options }: ProxyClass): CertificateFiles {
  const names = CERTIFICATE_OPTIONS.filter((name) => options[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, options[name]!]));
}

/** The codec of {@link CertificateFiles}: canonical JSON. */
export const certificateFiles: KeyCodec<CertificateFiles> = converted(text, {
  encode: (files: CertificateFiles) => canonicalJson(files),
  decode: (json) => JSON.parse(json) as CertificateFiles,
});

/** The tables of a class. */
export interface ClassTables {
  /** Key of a class → clusters of a sidecar. */
  readonly clusters: ClusterTable;
  /** Key of a class → listeners of a sidecar. */
  readonly listeners: ListenerTable;
  /** Clusters that every gateway has. */
  readonly routerClusters: ClusterTable<Family>;
  /** Secrets of the proxy's own certificates. */
  readonly secrets: SecretTable<CertificateFiles>;
}
