import assert from "node:assert/strict";
import { expose } from "../../kit/metrics/mod.ts";
import { documents, manifest, serviceEntry } from "../../../tests/support/manifest.ts";
import { startTranslation } from "../../../tests/support/translation_fixture.ts";
import { conflictWarnings, observeConflicts } from "./conflicts.ts";

Deno.test("listener conflicts are counted, and are warnings at the ineffective object", async () => {
  const { translation, set } = startTranslation();
  observeConflicts(translation);
  const counted = async (): Promise<string | undefined> => {
    const { body } = await expose();
    return /^pilot_conflict_outbound_listener_tcp_over_current_tcp (\d+)/m.exec(body)?.[1];
  };
  assert.equal(await counted(), "0");
  const port = { number: 90, protocol: "TCP" };
  const edge = (name: string, protocol: string) =>
    manifest("Gateway", name, {
      selector: { app: "edge" },
      servers: [{ port: { number: 80, name: "p", protocol }, hosts: ["*"] }],
    });
  set(documents(
    ...["a", "b"].map((name) => serviceEntry(name, [`${name}.test`], port, [])),
    edge("a", "HTTP"),
    edge("b", "TCP"),
  ));
  assert.equal(await counted(), "1");
  const warnings = conflictWarnings(translation, false);
  assert.deepEqual(
    warnings.map(({ object, path, code }) => [object?.kind, object?.name, path, code]),
    [
      ["ServiceEntry", "b", "", "listener-conflict"],
      ["Gateway", "b", "spec.servers[0]", "listener-conflict"],
    ],
  );
  for (const { message, remedy } of warnings) assert(message !== "" && remedy.endsWith("."));
});
