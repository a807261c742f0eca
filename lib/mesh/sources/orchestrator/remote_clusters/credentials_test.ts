import assert from "node:assert/strict";
import type { SettingChanges } from "../../../ingest/mod.ts";
import type { Credential } from "../../../model/mod.ts";
import { createClusterCredentials } from "./credentials.ts";

const pair = (certificate: string): Credential => ({ certificate, privateKey: "key" });

Deno.test("a second feed takes over with the differences alone, under names of the cluster", () => {
  const reported: [string, string | undefined][][] = [];
  const settings = ({ credentials }: SettingChanges) => {
    reported.push([...credentials ?? []].map(([name, found]) => [name, found?.certificate]));
  };
  const rows = createClusterCredentials("west", { settings });
  const first = rows.feed();
  first.settings({ credentials: new Map([["a/x", pair("1")], ["a/y", pair("1")]]) });
  assert.deepEqual(reported, [], "not in use yet");
  first.use();
  assert.deepEqual(reported.splice(0), [[["a/x@west", "1"], ["a/y@west", "1"]]]);

  const second = rows.feed();
  second.settings({ credentials: new Map([["a/x", pair("1")], ["a/z", pair("2")]]) });
  first.settings({ credentials: new Map([["a/x", pair("3")]]) });
  assert.deepEqual(reported.splice(0), [[["a/x@west", "3"]]]);
  second.use();
  assert.deepEqual(reported.splice(0), [[
    ["a/x@west", "1"],
    ["a/z@west", "2"],
    ["a/y@west", undefined],
  ]]);
  first.settings({ credentials: new Map([["a/x", undefined]]) });
  assert.deepEqual(reported, [], "no longer in use");
  rows.clear();
  assert.deepEqual(reported.splice(0), [[["a/x@west", undefined], ["a/z@west", undefined]]]);
});
