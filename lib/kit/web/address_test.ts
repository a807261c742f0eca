import assert from "node:assert/strict";
import { MeshError } from "../base/mod.ts";
import { formatAddress, isLoopback, parseAddress } from "./address.ts";
import { hostOf, isLocalHost } from "./host.ts";

const READS: [text: string, hostname: string, port: number][] = [
  [":8080", "::", 8080],
  ["*:1", "::", 1],
  ["127.0.0.1:0", "127.0.0.1", 0],
  ["localhost:65535", "localhost", 65535],
  ["[::1]:80", "::1", 80],
];

for (const [text, hostname, port] of READS) {
  Deno.test(`parseAddress reads ${text}`, () => {
    assert.deepEqual(parseAddress(text), { hostname, port });
  });
}

for (const text of ["", "8080", "a:", "a:b", "a:65536", "::1:80", "a:1:2", "[::1]", "a:-1"]) {
  Deno.test(`parseAddress refuses ${JSON.stringify(text)}`, () => {
    assert.throws(() => parseAddress(text), (error) => {
      assert(error instanceof MeshError);
      return error.code === "address-invalid" && error.remedy !== undefined;
    });
  });
}

Deno.test("formatAddress writes what parseAddress reads", () => {
  for (const text of ["[::1]:80", "127.0.0.1:1"]) {
    assert.equal(formatAddress(parseAddress(text)), text);
  }
});

const HOSTS: [host: string, local: boolean][] = [
  ["localhost", true],
  ["localhost:8080", true],
  ["LOCALHOST.", true],
  ["app.localhost", true],
  ["127.0.0.1:1", true],
  ["127.9.9.9", true],
  ["[::1]:8080", true],
  ["::1", false],
  ["10.0.0.1", false],
  ["evil.example", false],
  ["127.0.0.1.evil.example", false],
  ["localhost.evil.example", false],
  ["evil.example@127.0.0.1", false],
  ["127.0.0.1:80:evil", false],
  ["", false],
];

for (const [host, local] of HOSTS) {
  Deno.test(`Host ${JSON.stringify(host)} is ${local ? "" : "not "}this machine's`, () => {
    assert.equal(isLocalHost(host), local);
  });
}

Deno.test("hostOf takes port and brackets off", () => {
  assert.equal(hostOf("[2001:db8::1]:80"), "2001:db8::1");
  assert.equal(hostOf("a.b:80"), "a.b");
  assert.equal(isLoopback("::ffff:127.0.0.1"), true);
});
