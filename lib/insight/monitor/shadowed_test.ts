import assert from "node:assert/strict";
import { documents, manifest } from "../../../tests/support/manifest.ts";
import { DEFAULT_FEATURES, startTranslation } from "../../../tests/support/translation_fixture.ts";
import { meshWarnings } from "./warnings.ts";

Deno.test("a second mesh-wide Sidecar is a warning at its position", () => {
  const { translation, set } = startTranslation();
  set(documents(
    manifest("Sidecar", "a", { egress: [{ hosts: ["./*"] }] }, "mesh-system"),
    manifest("Sidecar", "b", { egress: [{ hosts: ["./*"] }] }, "mesh-system"),
  ));
  assert.deepEqual(
    meshWarnings(translation, DEFAULT_FEATURES).map(({ object, code }) => [object?.name, code]),
    [["b", "shadowed"]],
  );
});
