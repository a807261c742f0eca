import assert from "node:assert/strict";
import { limitTls } from "./compliance.ts";

Deno.test("each TLS context of a bootstrap is limited, and nothing else is changed", () => {
  const limits = {
    tls_minimum_protocol_version: "TLSv1_2",
    tls_maximum_protocol_version: "TLSv1_2",
    cipher_suites: [
      "ECDHE-ECDSA-AES256-GCM-SHA384",
      "ECDHE-RSA-AES256-GCM-SHA384",
      "ECDHE-ECDSA-AES128-GCM-SHA256",
      "ECDHE-RSA-AES128-GCM-SHA256",
    ],
    ecdh_curves: ["P-256"],
  };
  const context = { alpn_protocols: ["h2"] };
  const cluster = (common_tls_context: unknown) => ({ name: "a", tls: { common_tls_context } });
  const bootstrap = { clusters: [cluster(context), { name: "plain" }] };
  assert.deepEqual(limitTls(JSON.parse(JSON.stringify(bootstrap))), {
    clusters: [cluster({ ...context, tls_params: limits }), { name: "plain" }],
  });
});
