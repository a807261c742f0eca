import assert from "node:assert/strict";
import { judge } from "./imports.ts";
import { ROOMS } from "./rooms.ts";

const ALLOWED: [file: string, specifier: string][] = [
  ["lib/mesh/derive/services.ts", "../model/mod.ts"],
  ["lib/mesh/derive/services.ts", "./hosts.ts"],
  ["lib/mesh/derive/deep/services.ts", "../hosts.ts"],
  ["lib/mesh/derive/services.ts", "../../kit/base/mod.ts"],
  ["lib/insight/debug/pages.ts", "../../mesh/graph/mod.ts"],
  ["lib/mesh/derive/services_test.ts", "../../insight/diff/mod.ts"],
  ["lib/mesh/derive/services.ts", "#mesh/networking/v1alpha3/gateway_pb.ts"],
  ["lib/mesh/derive/services_test.ts", "fast-check"],
  ["lib/mesh/derive/services_test.ts", "node:assert/strict"],
  ["lib/mesh/derive/services_test.ts", "../../../tests/fixtures.ts"],
  ["lib/kit/base/hash.ts", "node:crypto"],
  ["lib/kit/text/yaml.ts", "js-yaml"],
  ["lib/kit/proto/mod.ts", "@bufbuild/protobuf/wkt"],
  ["cmd/pilot-agent/main.ts", "../../lib/node/agent/mod.ts"],
  ["cmd/pilot-agent/main.ts", "./proxy.ts"],
  ["main.ts", "./cmd/pilot-agent/main.ts"],
  ["tests/wire/delta_test.ts", "../../lib/mesh/xds/mod.ts"],
  ["tests/wire/delta_test.ts", "@bufbuild/protobuf"],
  ["scripts/gen.ts", "./paths.ts"],
];

const REFUSED: [file: string, specifier: string, rule: string, message: RegExp][] = [
  ["lib/mesh/model/service.ts", "../derive/mod.ts", "rooms", /derive stands below room model/],
  ["lib/mesh/derive/services.ts", "../model/service.ts", "rooms", /through lib\/mesh\/model\/mod/],
  ["lib/mesh/derive/services_test.ts", "../model/service.ts", "rooms", /through lib\/mesh\/model/],
  ["lib/mesh/xds/session.ts", "../translate/mod.ts", "rooms", /xds must not know room translate/],
  ["lib/mesh/envoy/core/a.ts", "../../derive/mod.ts", "rooms", /envoy must not know room derive/],
  ["lib/mesh/envoy/core/a.ts", "../../graph/mod.ts", "rooms", /envoy must not know room graph/],
  [
    "lib/mesh/translate/route.ts",
    "../../kit/log/mod.ts",
    "rooms",
    /translate is pure and room log is not/,
  ],
  ["lib/kit/base/x.ts", "#envoy/config/cluster/v3/cluster_pb.ts", "rooms", /proto stands below/],
  [
    "lib/kit/orch/x.ts",
    "../../mesh/graph/mod.ts",
    "rooms",
    /wing kit, which must not know wing mesh/,
  ],
  [
    "lib/mesh/xds/x.ts",
    "../../insight/diff/mod.ts",
    "rooms",
    /mesh, which must not know wing insight/,
  ],
  [
    "lib/node/agent/x.ts",
    "../../cluster/ca/mod.ts",
    "rooms",
    /node, which must not know wing cluster/,
  ],
  [
    "lib/cluster/ca/x.ts",
    "../../node/sds/mod.ts",
    "rooms",
    /cluster, which must not know wing node/,
  ],
  ["lib/insight/debug/x.ts", "../../node/sds/mod.ts", "rooms", /must not know wing node/],
  ["lib/kit/cellar/x.ts", "../base/mod.ts", "rooms", /room cellar is not in the table/],
  ["lib/insight/debug/x.ts", "../cellar/mod.ts", "rooms", /room cellar is not in the table/],
  ["lib/insight/debug/x.ts", "../../../cmd/pilot-agent/main.ts", "rooms", /nothing imports cmd/],
  ["cmd/pilot-agent/x.ts", "../pilot-discovery/main.ts", "rooms", /nothing imports cmd/],
  ["lib/insight/debug/x.ts", "../../../scripts/paths.ts", "rooms", /not part of the programs/],
  [
    "cmd/pilot-agent/main.ts",
    "../../lib/node/agent/relay.ts",
    "rooms",
    /through lib\/node\/agent\/mod/,
  ],
  ["tests/wire/delta_test.ts", "../../lib/mesh/xds/session.ts", "rooms", /through lib\/mesh\/xds/],
  ["main.ts", "./lib/mesh/xds/session.ts", "rooms", /through lib\/mesh\/xds/],
  ["lib/mesh/sources/files.ts", "js-yaml", "packages", /js-yaml is imported by room text alone/],
  ["cmd/pilot-agent/main.ts", "preact", "packages", /preact is imported by room web alone/],
  ["lib/kit/base/x.ts", "left-pad", "packages", /left-pad belongs to no room/],
  ["lib/kit/base/x.ts", "npm:js-yaml@5.5.0", "packages", /pinned in deno\.json/],
  ["scripts/x.ts", "https://example.com/x.ts", "packages", /pinned in deno\.json/],
  ["lib/mesh/graph/cell.ts", "node:crypto", "pure", /imports nothing from "node:crypto"/],
];

for (const [file, specifier] of ALLOWED) {
  Deno.test(`imports: ${file} may import ${specifier}`, () => {
    assert.equal(judge(file, specifier), undefined);
  });
}

for (const [file, specifier, rule, message] of REFUSED) {
  Deno.test(`imports: ${file} may not import ${specifier}`, () => {
    const offence = judge(file, specifier);
    assert.equal(offence?.rule, rule);
    assert.match(offence.message, message);
  });
}

Deno.test("rooms: names and packages occur once, exceptions name rooms above", () => {
  const names = ROOMS.map((room) => room.name);
  assert.equal(new Set(names).size, names.length);
  const packages = ROOMS.flatMap((room) => room.packages ?? []);
  assert.equal(new Set(packages).size, packages.length);
  ROOMS.forEach((room, at) => {
    for (const other of room.not ?? []) assert.ok(names.indexOf(other) < at, `${room.name}`);
  });
});
