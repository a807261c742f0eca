/**
 * Secrets in the form that a proxy takes.
 *
 * @module
 */
import { create } from "../../kit/proto/mod.ts";
import { type Secret, SecretSchema } from "#envoy/extensions/transport_sockets/tls/v3/secret_pb.ts";

/** A certificate chain with its key, PEM. */
export function certificateSecret(name: string, chain: string, key: string): Secret {
  return create(SecretSchema, {
    name,
    type: {
      case: "tlsCertificate",
      value: { certificateChain: inline(chain), privateKey: inline(key) },
    },
  });
}

/** Trusted authorities, PEM. */
export function rootsSecret(name: string, roots: string): Secret {
  return create(SecretSchema, {
    name,
    type: { case: "validationContext", value: { trustedCa: inline(roots) } },
  });
}

function inline(text: string) {
  return { specifier: { case: "inlineString" as const, value: text } };
}
