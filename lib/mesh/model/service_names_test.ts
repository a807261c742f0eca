import assert from "node:assert/strict";
import { namedHost, parseServiceName } from "./service_names.ts";

const ENTRIES: Readonly<Record<string, readonly string[]>> = {
  "a.example": ["one/a", "one/b"],
  "b.example": ["one/a", "two/a"],
};
const entriesOf = (host: string) => ENTRIES[host] ?? [];

Deno.test("the name of a service has a host, with or without a namespace", () => {
  assert.deepEqual(parseServiceName("a.example"), { namespace: undefined, host: "a.example" });
  assert.deepEqual(parseServiceName("one/A.example"), { namespace: "one", host: "A.example" });
});

Deno.test("a host without a namespace must belong to one namespace only", () => {
  assert.equal(namedHost("A.example", entriesOf), "a.example");
  assert.equal(namedHost("b.example", entriesOf), undefined);
  assert.equal(namedHost("two/b.example", entriesOf), "b.example");
  assert.equal(namedHost("three/b.example", entriesOf), undefined);
  assert.equal(namedHost("c.example", entriesOf), undefined);
});
