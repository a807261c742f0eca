/** The warning about Services with two versions of IP. */
import assert from "node:assert/strict";
import { startTranslation } from "../../tests/support/translation_fixture.ts";
import { serviceOf } from "../../tests/support/ambient_rows.ts";
import { objectKey, rowOfObject } from "../../lib/mesh/model/mod.ts";
import type { TableKind } from "../../lib/mesh/schema/mod.ts";
import { oneVersionOfIp } from "./ip_versions.ts";

for (
  const [addresses, isDualStack, warns] of [
    [["10.96.0.1"], false, false],
    [["fd00::1"], false, false],
    [["10.96.0.1", "fd00::1"], false, true],
    [["10.96.0.1", "fd00::1"], true, false],
  ] as const
) {
  Deno.test(`versions of IP: ${addresses.join(", ")}, MESH_DUAL_STACK=${isDualStack}`, () => {
    const bench = startTranslation();
    const object = serviceOf("web", { clusterIPs: [...addresses] });
    const { table, key } = rowOfObject({ table: object.meta.kind, key: objectKey(object.meta) });
    bench.apply({ objects: [{ kind: table as TableKind, key, object }] });
    const found = oneVersionOfIp(bench.mesh, isDualStack);
    if (warns) assert.match(found ?? "", /web.*MESH_DUAL_STACK/);
    else assert.equal(found, undefined);
  });
}
