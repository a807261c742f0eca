import assert from "node:assert/strict";
import { statisticsName } from "./stat_name.ts";

Deno.test("clusters are counted under names of the mesh's form", () => {
  const counted = (host: string) => ({
    service: { host },
    port: { number: 80, name: "http" },
    subset: "v1",
  });
  const cases: readonly [form: string, host: string, name: string][] = [
    ["", "a.example", "cluster;"],
    ["%SERVICE%", "a.example", "a.example;"],
    ["%SERVICE%", "a.shop.svc.cluster.local", "a.shop;"],
    ["%SERVICE_FQDN%_%SERVICE_PORT%", "a.shop.svc.cluster.local", "a.shop.svc.cluster.local_80;"],
    ["%SUBSET_NAME%.%SERVICE_PORT_NAME%.%SUBSET_NAME%", "a.example", "v1.http.v1;"],
    ["%OTHER%", "a.example", "%OTHER%;"],
  ];
  for (const [form, host, name] of cases) {
    assert.equal(statisticsName(form, "cluster", counted(host)), name, form);
  }
  assert.equal(statisticsName("%SERVICE%", "cluster", undefined), "cluster;");
});
