import assert from "node:assert/strict";
import { readYaml } from "../../../kit/text/mod.ts";
import { fieldPositions } from "./field_positions.ts";

const TEXT = `# routes
kind: VirtualService
spec:
  http:
  - route:
    - destination: {host: a.test}
---
kind: List
items:
- kind: VirtualService
  spec: {hosts: [b.test]}
---
kind: Gateway
spec:
  servers:
  - port: {number: 80}
`;

Deno.test("positions of fields in files: the document at the line of the object", async () => {
  const read: string[] = [];
  const io = {
    read: (path: string) => {
      read.push(path);
      return path === "/etc/mesh/a.yaml"
        ? Promise.resolve(new TextEncoder().encode(TEXT))
        : Promise.reject(new Deno.errors.NotFound());
    },
  };
  const field = (file: string, line: number, path: string) => ({ file, line, path });
  const found = await fieldPositions([
    field("a.yaml", 2, "spec.http[0].route[0].destination.host"),
    field("gone.yaml", 1, "spec"),
    field("a.yaml", 13, "spec.servers[0].port"),
    field("a.yaml", 10, "spec.hosts[0]"),
    field("a.yaml", 99, "spec"),
  ], { home: "/etc/mesh", io });
  assert.deepEqual(found.map((one) => one && `${one.line}:${one.column}`), [
    "6:27",
    undefined,
    "16:11",
    undefined,
    undefined,
  ]);
  assert.deepEqual(read, ["/etc/mesh/a.yaml", "/etc/mesh/gone.yaml"]);
});

Deno.test("positions of fields in files: a document with many such fields is parsed once", async () => {
  const count = 2_000;
  const rules = Array.from({ length: count }, (_, i) => `  - destination: {host: h${i}.test}\n`);
  let parses = 0;
  const text = `kind: VirtualService\nhttp:\n- route:\n${rules.join("")}`;
  const fields = Array.from({ length: count }, (_, i) => ({
    file: "a.yaml",
    line: 1,
    path: `http[0].route[${i}].destination.host`,
  }));
  const found = await fieldPositions(fields, {
    home: "/",
    io: { read: () => Promise.resolve(new TextEncoder().encode(text)) },
    read: (part, limits) => {
      parses++;
      return readYaml(part, limits);
    },
  });
  assert.deepEqual(found.map((at) => at?.line), fields.map((_, i) => i + 4));
  assert.equal(parses, 1);
});
