/** Enum values and fields that are added to the protos of the npm package. */
import assert from "node:assert/strict";
import { ProcessingMode_BodySendMode as BodySendMode } from "#envoy/extensions/filters/http/ext_proc/v3/processing_mode_pb.ts";
import { UpstreamConnectMode } from "#envoy/extensions/filters/network/tcp_proxy/v3/tcp_proxy_pb.ts";
import { EXTENDED_FILES, withAdditions } from "./gen_enums.ts";

const FILE = "envoy/extensions/filters/http/ext_proc/v3/processing_mode.proto";

Deno.test("the values of newer Envoys are in the generated code", () => {
  assert.deepEqual([BodySendMode.FULL_DUPLEX_STREAMED, BodySendMode.GRPC], [4, 5]);
  assert.equal(UpstreamConnectMode.ON_DOWNSTREAM_TLS_HANDSHAKE, 2);
});

Deno.test("values are added behind the first one of their enum", () => {
  assert.ok(EXTENDED_FILES.has(FILE));
  const text =
    "message M {\n  enum BodySendMode {\n    // None; the default.\n    NONE = 0;\n  }\n}\n";
  assert.match(
    withAdditions(FILE, text),
    /NONE = 0;\nFULL_DUPLEX_STREAMED = 4;\nGRPC = 5;\n {2}\}\n\}/,
  );
  assert.equal(withAdditions("another.proto", text), text);
});

Deno.test("a package that has an added value, or lacks the enum, is reported", () => {
  const grown = "enum BodySendMode { NONE = 0; FULL_DUPLEX_STREAMED = 4; }";
  assert.throws(() => withAdditions(FILE, grown), /already has FULL_DUPLEX_STREAMED/);
  assert.throws(() => withAdditions(FILE, "message M {}"), /not exactly one enum BodySendMode/);
});

Deno.test("fields are added behind the one that they follow, and reported when the package has them", () => {
  const file = "envoy/extensions/filters/network/tcp_proxy/v3/tcp_proxy.proto";
  const field = "TcpAccessLogOptions access_log_options = 17;";
  const added = withAdditions(file, `message TcpProxy {\n${field}\n}\n`);
  assert.match(added, /= 17;\nUpstreamConnectMode upstream_connect_mode = 21;\n[^}]*\}\n\nenum /);
  assert.throws(() => withAdditions(file, added), /already has UpstreamConnectMode/);
  assert.throws(() => withAdditions(file, "message TcpProxy {}"), /not exactly one field/);
});
