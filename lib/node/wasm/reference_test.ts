import assert from "node:assert/strict";
import { MeshError } from "../../kit/base/mod.ts";
import { imageText, parseReference } from "./reference.ts";

const DIGEST = `sha256:${"a".repeat(64)}`;

const IMAGES: readonly (readonly [text: string, image: string])[] = [
  ["oci://registry.test/plugins/auth:1.0", "registry.test/plugins/auth:1.0"],
  ["OCI://registry.test:5000/auth", "registry.test:5000/auth:latest"],
  ["localhost/auth:a_b.c", "localhost/auth:a_b.c"],
  ["auth", "docker.io/library/auth:latest"],
  ["team/auth:2", "docker.io/team/auth:2"],
  [`oci://[::1]:5000/a/b@${DIGEST}`, `[::1]:5000/a/b@${DIGEST}`],
  [`registry.test/a:1@${DIGEST}`, `registry.test/a@${DIGEST}`],
];

for (const [text, expected] of IMAGES) {
  Deno.test(`${text} is the image ${expected}`, () => {
    const reference = parseReference(text);
    assert.equal(reference.kind === "image" && imageText(reference.image), expected);
  });
}

const WRONG: readonly (readonly [text: string, says: RegExp])[] = [
  ["ftp://a/b", /scheme is not oci, http or https/],
  ["https://user:secret@a.test/m.wasm", /it has credentials/],
  ["oci://registry.test/UPPER", /not the name of an image/],
  ["oci://registry.test/../../etc/passwd", /not the name of an image/],
  ["oci://registry.test/a:b:c", /not the name of an image/],
  ["oci://registry.test/a:-x", /tag is not of the form/],
  ["oci://registry.test/a@sha256:12", /digest is not sha256/],
  ["oci://a b.test/a", /registry is not a host/],
];

for (const [text, says] of WRONG) {
  Deno.test(`${text} is refused`, () => {
    assert.throws(
      () => parseReference(text),
      (error) => error instanceof MeshError && says.test(error.message),
    );
  });
}
