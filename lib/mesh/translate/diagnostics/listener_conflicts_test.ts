import assert from "node:assert/strict";
import { documents, manifest, serviceEntry } from "../../../../tests/support/manifest.ts";
import { startTranslation } from "../../../../tests/support/translation_fixture.ts";
import { listenerConflicts } from "./listener_conflicts.ts";

function conflictsOf(...entries: readonly string[]): string[] {
  const bench = startTranslation();
  bench.set(documents(...entries));
  return listenerConflicts(bench.translation.mesh)
    .map(({ kind, object, field, message }) => [kind, object, field, message].join(" ").trim());
}

function service(name: string, protocol: string, addresses: readonly string[] = []): string {
  const port = { number: 90, protocol };
  return serviceEntry(name, [`${name}.test`], port, {
    endpoints: [{ address: "10.0.0.1" }],
    addresses,
  });
}

function gateway(name: string, ...servers: readonly [protocol: string, bind?: string][]): string {
  return manifest("Gateway", name, {
    selector: { app: "edge" },
    servers: servers.map(([protocol, bind], i) => ({
      port: { number: 80, name: `p${i}`, protocol },
      ...bind && { bind },
      hosts: ["*"],
      ...protocol === "TLS" && { tls: { mode: "PASSTHROUGH" } },
    })),
  });
}

Deno.test("indistinguishable TCP services: all but the first are reported", () => {
  const [only, ...rest] = conflictsOf(service("a", "TCP"), service("b", "TCP"));
  assert.deepEqual(rest, []);
  assert.match(
    only!,
    /^tcp .*b.* connections to port 90 of b\.test go to a\.test, which is older:/,
  );
  assert.equal(
    conflictsOf(service("a", "TCP"), service("b", "TCP"), service("c", "TCP")).length,
    2,
  );
});

Deno.test("services distinguished by addresses, TLS names or HTTP do not conflict", () => {
  const others: [string, string[]][] = [["TCP", ["10.1.0.1"]], ["TLS", []], ["HTTP", []]];
  for (const [protocol, addresses] of others) {
    assert.deepEqual(conflictsOf(service("a", "TCP"), service("b", protocol, addresses)), []);
  }
});

Deno.test("a server of another kind than the oldest of its port is reported, with the owner of the port", () => {
  const [only, ...rest] = conflictsOf(gateway("a", ["HTTP"]), gateway("b", ["TLS"]));
  assert.deepEqual(rest, []);
  assert.match(only!, /^gateway Gateway\/[^/]+\/b spec\.servers\[0\] this server is not served: /);
  assert.match(only!, /port 80 is distinguished by hosts of requests by Gateway [^/]+\/a, and/);
  assert.match(conflictsOf(gateway("a", ["HTTP"], ["TCP"]))[0]!, /by an earlier server/);
});

Deno.test("servers of one kind, or of other addresses, do not conflict", () => {
  assert.deepEqual(conflictsOf(gateway("a", ["HTTP"]), gateway("b", ["HTTP"])), []);
  assert.deepEqual(conflictsOf(gateway("a", ["HTTP"], ["TCP", "10.0.0.9"])), []);
});
