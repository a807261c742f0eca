import assert from "node:assert/strict";
import { withLazyDescriptors } from "./gen_lazy.ts";

const GENERATED = `// @generated from file a/b.proto (package a, syntax proto3)
import type { GenFile, GenMessage } from "@bufbuild/protobuf/codegenv2";
import { enumDesc, fileDesc, messageDesc } from "@bufbuild/protobuf/codegenv2";
import { file_google_protobuf_any } from "@bufbuild/protobuf/wkt";

export const file_a_b: GenFile = /*@__PURE__*/
  fileDesc("CgU=", [file_google_protobuf_any]);

/**
 * Describes the message a.Outer.
 * Use \`create(OuterSchema)\` to create a new message.
 */
export const OuterSchema: GenMessage<Outer> = /*@__PURE__*/
  messageDesc(file_a_b, 0);

/**
 * Describes the enum a.Outer.Mode.
 */
export const Outer_ModeSchema: GenEnum<Outer_Mode> = /*@__PURE__*/
  enumDesc(file_a_b, 0, 0);
`;

Deno.test("gen: descriptors are declared by name, with the functions that read them late", () => {
  const out = withLazyDescriptors(GENERATED, "a/b_pb.ts");
  assert.match(out, /^import \{ enumDesc, fileDesc, messageDesc \} from "\.\.\/\.\.\/lazy\.ts";$/m);
  assert.match(out, /^import type \{ GenFile, GenMessage \} from "@bufbuild.*codegenv2";$/m);
  assert.match(out, /^import \{ file_google_protobuf_any \} from "@bufbuild\/protobuf\/wkt";$/m);
  assert.match(out, /^ {2}fileDesc\("a\/b\.proto", "CgU=", \[file_google_protobuf_any\]\);$/m);
  assert.match(out, /^ {2}messageDesc\(file_a_b, "a\.Outer", 0\);$/m);
  assert.doesNotMatch(out, /__PURE__/, "a bundle has what nobody names, too");
  assert.match(out, /^ {2}enumDesc\(file_a_b, "a\.Outer\.Mode", 0, 0\);$/m);
});

Deno.test("gen: unexpected output of the plugin stops the generation", () => {
  assert.throws(() => withLazyDescriptors("export {};", "a_pb.ts"), /a_pb\.ts does not say/);
  const nameless = GENERATED.replace("Describes the enum a.Outer.Mode.", "An enum.");
  assert.throws(() => withLazyDescriptors(nameless, "a/b_pb.ts"), /without its name/);
});
