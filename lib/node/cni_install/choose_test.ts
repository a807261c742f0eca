import assert from "node:assert/strict";
import { join } from "node:path";
import { chooseNetwork, usedByRuntime } from "./choose.ts";
import { DISK } from "./disk/mod.ts";
import { BRIDGE, LIST, makeNode } from "./testing.ts";

interface Case {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  readonly confName?: string;
  readonly chained?: boolean;
  readonly file?: string;
  readonly why?: RegExp;
  readonly passedOver?: readonly string[];
}

const CASES: readonly Case[] = [
  { name: "an empty directory", files: {}, why: /waiting for a network configuration in / },
  {
    name: "the first of two",
    files: { "20-b.conf": BRIDGE, "10-a.conflist": LIST },
    file: "10-a.conflist",
  },
  {
    name: "a half-written file before a whole one",
    files: { "05-x.conflist": LIST.slice(0, 60), "10-a.conf": BRIDGE },
    file: "10-a.conf",
    passedOver: ["05-x.conflist"],
  },
  { name: "other endings", files: { "a.json": BRIDGE, "b.txt": LIST }, why: /waiting for/ },
  {
    name: "files that runtimes cannot use",
    files: {
      "1.conflist": '{"name":"a","plugins":[]}',
      "2.conf": '{"name":"a"}',
      "3.conf": "yaml: 1",
    },
    why: /waiting for/,
    passedOver: ["1.conflist", "2.conf", "3.conf"],
  },
  {
    name: "a name",
    files: { "10-a.conf": BRIDGE, "20-b.conf": BRIDGE },
    confName: "20-b.conf",
    file: "20-b.conf",
  },
  {
    name: ".conf for .conflist",
    files: { "a.conflist": LIST },
    confName: "a.conf",
    file: "a.conflist",
  },
  {
    name: ".conflist for .conf",
    files: { "a.conf": BRIDGE },
    confName: "a.conflist",
    file: "a.conf",
  },
  {
    name: "a name that is not there",
    files: { "a.conf": BRIDGE },
    confName: "b.conf",
    why: /b\.conf$/,
  },
  { name: "standalone", files: { "a.conf": BRIDGE }, chained: false, file: "YYY-mesh-cni.conf" },
  { name: "standalone with a name", files: {}, chained: false, confName: "m.conf", file: "m.conf" },
];

for (const { name, files, confName = "", chained = true, file, why, passedOver = [] } of CASES) {
  Deno.test(`chosen: ${name}`, async () => {
    await using node = await makeNode();
    for (const [at, text] of Object.entries(files)) await node.put(at, text);
    const { netDir } = node.settings;
    const chosen = await chooseNetwork(DISK, { netDir, confName, chained });
    assert.equal(chosen.file, file);
    if (chosen.file === undefined) assert.match(chosen.why, why ?? /^$/);
    assert.deepEqual(chosen.passedOver.map((one) => one.file), passedOver);
  });
}

Deno.test("no directory yet, and links that lead nowhere, are said", async () => {
  await using node = await makeNode();
  const { netDir } = node.settings;
  const place = { netDir: join(netDir, "missing"), confName: "", chained: true };
  const none = await chooseNetwork(DISK, place);
  assert.ok(none.file === undefined && /waiting for the directory/.test(none.why));
  await Deno.symlink("nowhere", join(netDir, "10-a.conf"));
  await Deno.mkdir(join(netDir, "20-b.conf"));
  const { passedOver } = await chooseNetwork(DISK, { ...place, netDir });
  assert.deepEqual(passedOver, [
    { file: "10-a.conf", why: "the link leads nowhere: nowhere" },
    { file: "20-b.conf", why: "it is not a file" },
  ]);
});

Deno.test("runtimes use files in JSON too", async () => {
  await using node = await makeNode();
  await node.put("20-b.conf", BRIDGE);
  await node.put("10-a.json", BRIDGE);
  assert.equal(await usedByRuntime(DISK, node.settings.netDir), "10-a.json");
});

Deno.test("a path is no name", async () => {
  const place = { netDir: "/x", confName: "../a.conf", chained: true };
  await assert.rejects(chooseNetwork(DISK, place), /CNI_CONF_NAME is a path/);
});
