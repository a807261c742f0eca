import assert from "node:assert/strict";
import { judge } from "./imports.ts";
import { ROOMS } from "./rooms.ts";

const ALLOWED: [file: string, specifier: string][] = [
  ["lib/derive/services.ts", "../model/mod.ts"],
  ["lib/derive/services.ts", "./hosts.ts"],
  ["lib/derive/deep/services.ts", "../hosts.ts"],
  ["lib/derive/services.ts", "../base/mod.ts"],
  ["lib/derive/services.ts", "#mesh/networking/v1alpha3/gateway_pb.ts"],
  ["lib/derive/services_test.ts", "fast-check"],
  ["lib/derive/services_test.ts", "node:assert/strict"],
  ["lib/derive/services_test.ts", "../../tests/fixtures.ts"],
  ["lib/base/hash.ts", "node:crypto"],
  ["lib/text/yaml.ts", "js-yaml"],
  ["lib/proto/mod.ts", "@bufbuild/protobuf/wkt"],
  ["cmd/pilot-agent/main.ts", "../../lib/agent/mod.ts"],
  ["cmd/pilot-agent/main.ts", "./proxy.ts"],
  ["main.ts", "./cmd/pilot-agent/main.ts"],
  ["tests/wire/delta_test.ts", "../../lib/serve/mod.ts"],
  ["tests/wire/delta_test.ts", "@bufbuild/protobuf"],
  ["scripts/gen.ts", "./paths.ts"],
];

const REFUSED: [file: string, specifier: string, rule: string, message: RegExp][] = [
  ["lib/model/service.ts", "../derive/mod.ts", "rooms", /derive stands below room model/],
  ["lib/derive/services.ts", "../model/service.ts", "rooms", /through lib\/model\/mod\.ts/],
  ["lib/derive/services_test.ts", "../model/service.ts", "rooms", /through lib\/model\/mod\.ts/],
  ["lib/serve/session.ts", "../translate/mod.ts", "rooms", /serve must not know room translate/],
  ["lib/envoy/core/a.ts", "../../derive/mod.ts", "rooms", /envoy must not know room derive/],
  ["lib/envoy/core/a.ts", "../../graph/mod.ts", "rooms", /envoy must not know room graph/],
  ["lib/translate/route.ts", "../log/mod.ts", "rooms", /translate is pure and room log is not/],
  ["lib/base/x.ts", "#envoy/config/cluster/v3/cluster_pb.ts", "rooms", /proto stands below/],
  ["lib/cellar/x.ts", "../base/mod.ts", "rooms", /room cellar is not in the table/],
  ["lib/debug/x.ts", "../cellar/mod.ts", "rooms", /room cellar is not in the table/],
  ["lib/debug/x.ts", "../../cmd/pilot-agent/main.ts", "rooms", /nothing imports cmd/],
  ["cmd/pilot-agent/x.ts", "../pilot-discovery/main.ts", "rooms", /nothing imports cmd/],
  ["lib/debug/x.ts", "../../scripts/paths.ts", "rooms", /not part of the programs/],
  ["cmd/pilot-agent/main.ts", "../../lib/agent/relay.ts", "rooms", /through lib\/agent\/mod\.ts/],
  ["tests/wire/delta_test.ts", "../../lib/serve/session.ts", "rooms", /through lib\/serve/],
  ["main.ts", "./lib/serve/session.ts", "rooms", /through lib\/serve/],
  ["lib/sources/files.ts", "js-yaml", "packages", /js-yaml is imported by room text alone/],
  ["cmd/pilot-agent/main.ts", "preact", "packages", /preact is imported by room web alone/],
  ["lib/base/x.ts", "left-pad", "packages", /left-pad belongs to no room/],
  ["lib/base/x.ts", "npm:js-yaml@5.5.0", "packages", /pinned in deno\.json/],
  ["scripts/x.ts", "https://example.com/x.ts", "packages", /pinned in deno\.json/],
  ["lib/graph/cell.ts", "node:crypto", "pure", /imports nothing from "node:crypto"/],
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
