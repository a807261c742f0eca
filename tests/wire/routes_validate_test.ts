/** A real Envoy accepts all route configurations of the golden files. */
import assert from "node:assert/strict";
import type { JsonValue } from "../../lib/kit/proto/mod.ts";
import { routesBootstrap, validateBootstrap } from "../support/envoy_validate.ts";

const GOLDENS = new URL("../../lib/mesh/envoy/routes/testdata/", import.meta.url);

Deno.test("Envoy takes every expected route configuration", async () => {
  const configurations: JsonValue[] = [];
  for await (const { name } of Deno.readDir(GOLDENS)) {
    if (!name.endsWith(".golden.json")) continue;
    configurations.push(JSON.parse(await Deno.readTextFile(new URL(name, GOLDENS))));
  }
  assert.ok(configurations.length > 15, `${configurations.length} golden files found`);
  const verdict = await validateBootstrap(routesBootstrap(configurations));
  assert.ok(verdict.accepted, verdict.log);
});

Deno.test("Envoy refuses two hosts with one domain, so its verdict means something", async () => {
  const host = (name: string): JsonValue => ({ name, domains: ["10.0.0.1"] });
  const verdict = await validateBootstrap(
    routesBootstrap([{ name: "80", virtualHosts: [host("a"), host("b")] }]),
  );
  assert.equal(verdict.accepted, false);
  assert.match(verdict.log, /10\.0\.0\.1/);
});
