import assert from "node:assert/strict";
import { createAliases } from "./aliases.ts";
import type { ApiService } from "./api.ts";
import { idOf } from "./slice_index.ts";

function start(names: Readonly<Record<string, string | undefined>>) {
  const services = new Map(
    Object.entries(names).map(([name, externalName]): [string, ApiService] => [name, {
      metadata: { name, namespace: "shop" },
      spec: externalName === undefined ? {} : { type: "ExternalName", externalName },
    }]),
  );
  const aliases = createAliases({
    service: (namespace, name) => namespace === "shop" ? services.get(name) : undefined,
    domain: "cluster.local",
  });
  const target = (name: string) => aliases.targetOf(idOf("shop", name), services.get(name))?.host;
  return { aliases, target };
}

const host = (name: string) => `${name}.shop.svc.cluster.local`;

Deno.test("an external name of a Service is an alias of it, by way of other aliases, too", () => {
  const { target } = start({
    web: undefined,
    direct: host("web"),
    absolute: `${host("WEB").replace("WEB", "Web")}.`,
    second: host("direct"),
    outside: "db.test",
    deeper: `a.${host("web")}`,
    missing: host("gone"),
    circle: host("circle"),
  });
  assert.equal(target("direct"), host("web"));
  assert.equal(target("absolute"), host("web"));
  assert.equal(target("second"), host("web"));
  for (const name of ["web", "outside", "deeper", "missing", "circle"]) {
    assert.equal(target(name), undefined, name);
  }
});

Deno.test("an alias depends on every Service that it names, though it does not exist", () => {
  const { aliases, target } = start({
    web: undefined,
    direct: host("web"),
    second: host("direct"),
    missing: host("gone"),
  });
  for (const name of ["web", "direct", "second", "missing"]) target(name);
  const dependingOn = (name: string) => aliases.dependingOn([idOf("shop", name)]);
  assert.deepEqual(dependingOn("web"), ["shop direct", "shop second"]);
  assert.deepEqual(dependingOn("gone"), ["shop missing"]);
  aliases.targetOf("shop second", undefined);
  assert.deepEqual(dependingOn("direct"), []);
});
