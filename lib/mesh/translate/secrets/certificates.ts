/**
 * Secrets of the certificates that proxies have in files.
 *
 * @module
 */
import { SecretSchema } from "#envoy/extensions/transport_sockets/tls/v3/secret_pb.ts";
import { workloadSecrets } from "../../envoy/mod.ts";
import { type CertificateFiles, certificateFiles } from "./keys.ts";
import type { Context } from "../context/mod.ts";
import { encodeResource, resourceTable, type SecretTable } from "../resources/mod.ts";

/** Creates the table. */
export function deriveCertificates({ mesh }: Context): SecretTable<CertificateFiles> {
  return resourceTable(mesh.graph, "sds", certificateFiles, (read, options) => {
    for (const [field, value] of Object.entries(options)) {
      read.decide?.({ group: "file", source: "proxy", field, value });
    }
    const secrets = workloadSecrets({ options });
    return secrets.map((secret) => encodeResource(secret.name, SecretSchema, secret));
  });
}
