import assert from "node:assert/strict";
import { fromFileUrl, join } from "./paths.ts";

const PROTOS = fromFileUrl(new URL("../protos/mesh", import.meta.url));

/** Files in which everything must be documented. In other files only used parts are. */
const DOCUMENTED = [
  "extensions/v1alpha1/wasm.proto",
  "mesh/v1alpha1/network.proto",
  "networking/v1alpha3/dataproxy_filter.proto",
  "networking/v1alpha3/destination_rule.proto",
  "networking/v1alpha3/gateway.proto",
  "networking/v1alpha3/service_entry.proto",
  "networking/v1alpha3/sidecar.proto",
  "networking/v1alpha3/virtual_service.proto",
  "networking/v1alpha3/workload_entry.proto",
  "networking/v1alpha3/workload_group.proto",
  "networking/v1beta1/proxy_config.proto",
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

Deno.test("protos: the top level of the mesh configuration is documented", async () => {
  for (const [file, message] of [["config", "MeshConfig"], ["proxy", "ProxyConfig"]] as const) {
    const text = await Deno.readTextFile(join(PROTOS, `mesh/v1alpha1/${file}.proto`));
    const body = text.slice(text.indexOf(`\nmessage ${message} {`)).split("\n}\n")[0]!.split("\n");
    const fields = body.flatMap((line, at) => /^ {2}\S.* = \d+/.test(line) ? [at] : []);
    assert.ok(fields.length > 20);
    const bare = fields.filter((at) => !/^\s*\/\//.test(body[at - 1] ?? ""));
    assert.deepEqual(bare.map((at) => body[at]!.trim()), []);
  }
});
