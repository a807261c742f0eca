import assert from "node:assert/strict";
import { changesBetween, isOlder, type ReleaseChanges, usesOf } from "./changes.ts";
import { type Support, supportOf } from "./support.ts";
import { changeFindings } from "./upgrade.ts";

const TABLE: readonly ReleaseChanges[] = ["0.2.0", "0.3.0", "1.0.0"].map((version) => ({
  version,
  defaults: [],
  removed: [],
}));

Deno.test("changes: those of the releases after a version, up to another one", () => {
  const versions = (from: string, to: string) =>
    changesBetween(from, to, TABLE).map(({ version }) => version);
  assert.deepEqual(versions("0.1.0", "0.3.0"), ["0.2.0", "0.3.0"]);
  assert.deepEqual(versions("0.2.0", "0.2.5"), []);
  assert.deepEqual(versions("v0.2.1", "1.0.0"), ["0.3.0", "1.0.0"]);
  assert.ok(isOlder("0.9.0", "0.10.0") && !isOlder("1.0", "1.0.0"));
});

Deno.test("changes: objects with a removed field, also in items of lists", () => {
  const field = { kind: "VirtualService", path: "spec.http.old", remedy: "" };
  const object = (name: string, kind: string, http: unknown) => ({
    kind,
    metadata: { namespace: "shop", name },
    spec: { http },
  });
  const objects = [
    object("a", "VirtualService", [{ route: [] }, { old: 0 }]),
    object("b", "VirtualService", [{ route: [] }]),
    object("c", "Other", [{ old: 0 }]),
    { kind: "VirtualService" },
    null,
  ].filter((one) => one !== null);
  assert.deepEqual(usesOf(field, objects), ["VirtualService shop/a"]);
});

const SUPPORT: readonly (readonly [major: number, minor: number, support: Support])[] = [
  [1, 27, "too-old"],
  [0, 99, "too-old"],
  [1, 28, "not-tested"],
  [1, 34, "tested"],
  [1, 35, "not-tested"],
  [1, 36, "tested"],
  [1, 37, "newer"],
  [2, 0, "newer"],
];

Deno.test("support: each version has its place in the table", () => {
  for (const [major, minor, support] of SUPPORT) {
    const found = supportOf({ major, minor }, { oldest: 28, tested: [34, 36] });
    assert.equal(found, support, `${major}.${minor}`);
  }
});

Deno.test("changes: a changed default and each use of a removed field are findings", () => {
  const changes: readonly ReleaseChanges[] = [{
    version: "0.2.0",
    defaults: [{ name: "PILOT_X", before: "a", after: "b" }],
    removed: [{ kind: "Sidecar", path: "spec.old", remedy: "Use new." }],
  }];
  const objects = [{ kind: "Sidecar", metadata: { namespace: "n", name: "s" }, spec: { old: 1 } }];
  assert.deepEqual(changeFindings(changes, objects).map(({ message }) => message), [
    "The default of PILOT_X changed in 0.2.0 from a to b; set it to keep the former one",
    "(Sidecar n/s) spec.old was removed in 0.2.0: Use new.",
  ]);
});
