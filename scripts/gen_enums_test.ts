/** Enum values that are added to the protos of the npm package. */
import assert from "node:assert/strict";
import { ProcessingMode_BodySendMode as BodySendMode } from "#envoy/extensions/filters/http/ext_proc/v3/processing_mode_pb.ts";
import { EXTENDED_FILES, withAddedValues } from "./gen_enums.ts";

const FILE = "envoy/extensions/filters/http/ext_proc/v3/processing_mode.proto";

Deno.test("the values of newer Envoys are in the generated code", () => {
  assert.deepEqual([BodySendMode.FULL_DUPLEX_STREAMED, BodySendMode.GRPC], [4, 5]);
});

Deno.test("values are added behind the first one of their enum", () => {
  assert.ok(EXTENDED_FILES.has(FILE));
  const text =
    "message M {\n  enum BodySendMode {\n    // None; the default.\n    NONE = 0;\n  }\n}\n";
  assert.match(
    withAddedValues(FILE, text),
    /NONE = 0;\nFULL_DUPLEX_STREAMED = 4;\nGRPC = 5;\n {2}\}\n\}/,
  );
  assert.equal(withAddedValues("another.proto", text), text);
});

Deno.test("a package that has an added value, or lacks the enum, is reported", () => {
  const grown = "enum BodySendMode { NONE = 0; FULL_DUPLEX_STREAMED = 4; }";
  assert.throws(() => withAddedValues(FILE, grown), /already has FULL_DUPLEX_STREAMED/);
  assert.throws(() => withAddedValues(FILE, "message M {}"), /not exactly one enum BodySendMode/);
});
