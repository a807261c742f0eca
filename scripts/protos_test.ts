import assert from "node:assert/strict";
import { fromFileUrl, join } from "./paths.ts";

const PROTOS = fromFileUrl(new URL("../protos/mesh", import.meta.url));

/** Files in which everything must be documented. */
const DOCUMENTED = [
  "extensions/v1alpha1/wasm.proto",
  "mesh/v1alpha1/config.proto",
  "mesh/v1alpha1/network.proto",
  "mesh/v1alpha1/proxy.proto",
  "networking/v1alpha3/dataproxy_filter.proto",
  "networking/v1alpha3/destination_rule.proto",
  "networking/v1alpha3/gateway.proto",
  "networking/v1alpha3/service_entry.proto",
  "networking/v1alpha3/sidecar.proto",
  "networking/v1alpha3/virtual_service.proto",
  "networking/v1alpha3/workload_entry.proto",
  "networking/v1alpha3/workload_group.proto",
  "networking/v1beta1/proxy_config.proto",
  "security/v1beta1/authorization_policy.proto",
  "security/v1beta1/peer_authentication.proto",
  "security/v1beta1/request_authentication.proto",
  "telemetry/v1alpha1/telemetry.proto",
  "type/v1beta1/selector.proto",
];

/** Lines that open a message, enum or oneof, or declare a field or value. */
const DECLARATION = /^\s*((message|enum|oneof) \w+ \{|[\w.<>, ]+ \w+ = \d+|[A-Z]\w* = \d+)/;

for (const file of DOCUMENTED) {
  Deno.test(`protos: every declaration of ${file} has a comment`, async () => {
    const lines = (await Deno.readTextFile(join(PROTOS, file))).split("\n");
    const declared = lines.flatMap((line, at) => DECLARATION.test(line) ? [at] : []);
    assert.ok(declared.length > 0);
    const bare = declared.filter((at) => !/^\s*\/\//.test(lines[at - 1] ?? ""));
    assert.deepEqual(bare.map((at) => `${at + 1}: ${lines[at]!.trim()}`), []);
  });
}
