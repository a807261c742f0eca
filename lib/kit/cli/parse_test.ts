import assert from "node:assert/strict";
import { useEnvironment } from "../env/mod.ts";
import { runFixture } from "./testing.ts";
import type { FlagValues } from "./flags.ts";

type Look = (flags: FlagValues) => unknown;
const text: (name: string) => Look = (name) => (flags) => flags.string(name);
const number: (name: string) => Look = (name) => (flags) => flags.number(name);
const bool: (name: string) => Look = (name) => (flags) => flags.bool(name);
const list: (name: string) => Look = (name) => (flags) => flags.list(name);
const map: (name: string) => Look = (name) => (flags) => Object.fromEntries(flags.map(name));

const READS: [argv: string, look: Look, value: unknown][] = [
  ["serve", text("name"), "none"],
  ["serve --name=a", text("name"), "a"],
  ["serve --name a", text("name"), "a"],
  ["serve --name=", text("name"), ""],
  ["serve --name=a=b", text("name"), "a=b"],
  ["serve --name --all", text("name"), "--all"],
  ["serve -n a", text("name"), "a"],
  ["serve -na", text("name"), "a"],
  ["serve -n=a", text("name"), "a"],
  ["serve -n a -n b", text("name"), "b"],
  ["--name a serve", text("name"), "a"],
  ["-a s", bool("all"), true],
  ["serve -ab=false", bool("brief"), false],
  ["serve -ab=false", bool("all"), true],
  ["serve -abn x", text("name"), "x"],
  ["serve -abnx", text("name"), "x"],
  ["serve", bool("brief"), true],
  ["serve --brief=false", bool("brief"), false],
  ["serve --all=T", bool("all"), true],
  ["serve --no-color", bool("no-color"), true],
  ["serve", bool("no-color"), false],
  ["serve -p 0", number("port"), 0],
  ["serve -p65535", number("port"), 65535],
  ["serve --count -12", number("count"), -12],
  ["serve --count=0x1f", number("count"), 31],
  ["serve --count=010", number("count"), 8],
  ["serve --offset=-2147483648", number("offset"), -2147483648],
  ["serve --rate=2e3", number("rate"), 2000],
  ["serve", number("wait"), 5_400_000],
  ["serve -w 1m", number("wait"), 60_000],
  ["serve -w -1s", number("wait"), -1_000],
  ["serve", list("slice"), ["x", "y"]],
  ["serve --slice a,b --slice c", list("slice"), ["a", "b", "c"]],
  [`serve --slice="a,b",c`, list("slice"), ["a,b", "c"]],
  ["serve --slice=", list("slice"), []],
  ["serve", list("array"), ["z"]],
  ["serve --array a,b --array c", list("array"), ["a,b", "c"]],
  ["serve --pairs a=1,b=2 --pairs c=3", map("pairs"), { a: "1", b: "2", c: "3" }],
  [`serve --pairs a="1,b`, map("pairs"), { a: `"1,b` }],
  [`serve --pairs "a=1,2",b=3`, map("pairs"), { a: "1,2", b: "3" }],
  ["serve --verbosity 3", number("verbosity"), 3],
];

for (const [argv, look, value] of READS) {
  Deno.test(`tool ${argv} gives ${JSON.stringify(value)}`, async () => {
    using _ = useEnvironment({});
    const { status, err, call } = await runFixture(argv.split(" "));
    assert.equal(err, "");
    assert.equal(status, 0);
    assert(call !== undefined);
    assert.deepEqual(look(call.flags), value);
  });
}

const REFUSED: [argv: string, status: number, err: RegExp][] = [
  ["serve --port 65536", 1, /invalid argument "65536" for "-p, --port" flag: .*65535/],
  ["serve --port -1", 1, /between 0 and 65535/],
  ["serve --port x", 1, /whole number/],
  ["serve --count 1.5", 1, /whole number/],
  ["serve --count 1e3", 1, /whole number/],
  ["serve --offset 2147483648", 1, /2147483647/],
  ["serve --rate 1e39", 1, /32 bits/],
  ["serve --rate NaN", 1, /a number/],
  ["serve --wait 5", 1, /duration such as/],
  ["serve --all=maybe", 1, /"maybe" for "-a, --all" flag: must be true or false/],
  ["serve --pairs a", 1, /key=value/],
  [`serve --slice "a`, 1, /quote/],
  ["serve --form xml", 1, /must be json or yaml/],
  ["serve --name", 1, /flag needs an argument: --name/],
  ["serve -n", 1, /flag needs an argument: -n/],
  ["serve --nmae x", 64, /unknown flag: --nmae\nDid you mean --name\?/],
  ["serve -x", 64, /unknown shorthand flag: "x" in -x/],
  ["serve -ax", 64, /unknown shorthand flag: "x" in -ax/],
  ["send --name x GET /", 64, /unknown flag: --name/],
  ["sevre", 64, /unknown command "sevre" for "tool"\nDid you mean this\?\n\tserve\n/],
  ["group inner three", 1, /invalid argument "three" for <role>: must be one or two/],
  ["group outer", 64, /unknown command "outer" for "tool group"/],
  ["group outer --nosuch x", 64, /unknown command "outer" for "tool group"/],
  ["--nosuch x serve", 64, /unknown flag: --nosuch/],
  ["serve extra", 64, /accepts 0 arg\(s\), received 1/],
  ["send GET", 64, /accepts between 2 and 3 arg\(s\), received 1/],
  ["send a b c d", 64, /received 4/],
];

for (const [argv, expected, pattern] of REFUSED) {
  Deno.test(`tool ${argv} ends with ${expected}`, async () => {
    const { status, out, err, call } = await runFixture(argv.split(" "));
    assert.match(err, /^Error: /);
    assert.match(err, pattern);
    assert.equal(status, expected);
    assert.equal(out, "");
    assert.equal(call, undefined);
  });
}

const ARGS: [argv: string[], args: string[]][] = [
  [["send", "GET", "/x"], ["GET", "/x"]],
  [["send", "--verbosity", "1", "GET", "/x", "-"], ["GET", "/x", "-"]],
  [["send", "GET", "--", "--path", "-b"], ["GET", "--path", "-b"]],
  [["send", "--", "send", "serve"], ["send", "serve"]],
];

for (const [argv, args] of ARGS) {
  Deno.test(`tool ${argv.join(" ")} has the arguments ${args.join(" ")}`, async () => {
    const { call } = await runFixture(argv);
    assert.deepEqual(call?.args, args);
  });
}

Deno.test("a variable takes the place of the default, and a flag takes that of the variable", async () => {
  using _ = useEnvironment({ TOOL_NAME: "env" });
  assert.equal((await runFixture(["serve"])).call?.flags.string("name"), "env");
  assert.equal((await runFixture(["serve", "-n", "cli"])).call?.flags.string("name"), "cli");
});

Deno.test("given names the flags of the command line only, even at their defaults", async () => {
  using _ = useEnvironment({ TOOL_NAME: "env" });
  const { call } = await runFixture(["serve", "-p8080", "--all=false"]);
  assert.deepEqual([...call?.flags.given ?? []].sort(), ["all", "port"]);
});

Deno.test("a flag asked for by another type than its own is a mistake of the program", async () => {
  const { call } = await runFixture(["serve"]);
  assert.throws(() => call?.flags.bool("name"), TypeError);
  assert.throws(() => call?.flags.string("nosuch"), TypeError);
});

Deno.test("a variable that the program may not read is as good as unset", async () => {
  const refuse = (): never => {
    throw new Deno.errors.NotCapable("no");
  };
  using _ = useEnvironment({ get: refuse, toObject: refuse });
  const { status, call } = await runFixture(["serve"]);
  assert.equal(status, 0);
  assert.equal(call?.flags.string("name"), "none");
});
