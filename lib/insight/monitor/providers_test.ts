import assert from "node:assert/strict";
import { manifest } from "../../../tests/support/manifest.ts";
import { startTranslation } from "../../../tests/support/translation_fixture.ts";
import { providerWarnings } from "./providers.ts";

Deno.test("a reference to a missing provider is a warning at the object that has it", () => {
  const { translation, set } = startTranslation();
  const asking = manifest("Telemetry", "t", { tracing: [{ providers: [{ name: "gone" }] }] });
  set(asking.replace("networking.mesh.io", "telemetry.mesh.io"));
  assert.deepEqual(
    providerWarnings(translation).map(({ object, path, code }) => [object?.kind, path, code]),
    [["Telemetry", "spec.tracing[0].providers[0].name", "provider"]],
  );
});
