import assert from "node:assert/strict";
import { parseDump } from "./dump.ts";
import { secretsDocument } from "./secrets.ts";

const TYPE = "type.googleapis.com/envoy.admin.v3.SecretsConfigDump";

Deno.test("secrets are printed as the section of the dump, their contents as base64", () => {
  const dump = parseDump(
    JSON.stringify({
      configs: [{
        "@type": TYPE,
        dynamic_active_secrets: [{
          name: "default",
          secret: {
            name: "default",
            tls_certificate: {
              certificate_chain: { inline_string: "PEM ü" },
              private_key: { inline_bytes: "W3JlZGFjdGVkXQ==" },
            },
          },
        }],
        dynamic_warming_secrets: [{
          name: "ROOTCA",
          secret: { validation_context: { trusted_ca: { filename: "/etc/ca.pem" } } },
        }],
      }],
    }),
    "dump",
  );
  assert.deepEqual(secretsDocument(dump), {
    dynamicActiveSecrets: [{
      name: "default",
      secret: {
        name: "default",
        tlsCertificate: {
          certificateChain: { inlineBytes: btoa("PEM \u00c3\u00bc") },
          privateKey: { inlineBytes: "W3JlZGFjdGVkXQ==" },
        },
      },
    }],
    dynamicWarmingSecrets: [{
      name: "ROOTCA",
      secret: { validationContext: { trustedCa: { filename: "/etc/ca.pem" } } },
    }],
  });
  assert.deepEqual(secretsDocument(parseDump('{"configs":[]}', "empty")), {});
});
