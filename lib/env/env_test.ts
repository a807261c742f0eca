import assert from "node:assert/strict";
import { MeshError } from "../base/mod.ts";
import { declaredEnv, declareEnv, type EnvType, useEnvironment, validateEnv } from "./mod.ts";

let serial = 0;

/** A variable with a name of its own, so that tests do not meet in the table of declarations. */
function declareOne<K extends EnvType>(type: K, readers: readonly string[] = ["test"]) {
  return declareEnv({ name: `TEST_${type.toUpperCase()}_${++serial}`, type, doc: "d", readers });
}

const READS: [type: EnvType, text: string, value: unknown][] = [
  ["bool", "true", true],
  ["bool", "F", false],
  ["bool", "1", true],
  ["int", "-12", -12],
  ["float", "1.5e2", 150],
  ["float", ".5", 0.5],
  ["duration", "1m30s", 90_000],
  ["string", "", ""],
  ["string", "x y", "x y"],
  ["bool", "", undefined],
  ["duration", "", undefined],
];

for (const [type, text, value] of READS) {
  Deno.test(`a ${type} variable reads ${JSON.stringify(text)} as ${String(value)}`, () => {
    const variable = declareOne(type);
    using _ = useEnvironment({ [variable.name]: text });
    assert.equal(variable.get(), value);
    assert.equal(variable.isSet(), value !== undefined);
  });
}

const REFUSED: [type: EnvType, text: string, form: RegExp][] = [
  ["bool", "yes", /true or false/],
  ["int", "1.5", /whole number/],
  ["int", "99999999999999999999", /whole number/],
  ["int", "0x10", /whole number/],
  ["float", "NaN", /a number/],
  ["float", "1,5", /a number/],
  ["duration", "30", /1h30m/],
];

for (const [type, text, form] of REFUSED) {
  Deno.test(`a ${type} variable refuses ${text}, naming variable, value and form`, () => {
    const variable = declareOne(type);
    using _ = useEnvironment({ [variable.name]: text });
    assert.throws(() => variable.get(), (error) => {
      assert(error instanceof MeshError);
      assert.match(error.message, new RegExp(variable.name));
      assert(error.message.includes(JSON.stringify(text)));
      assert.match(error.message, form);
      return true;
    });
  });
}

Deno.test("defaults hold while nothing is set, and durations take them as text or milliseconds", () => {
  using _ = useEnvironment({});
  const base = { doc: "d", readers: ["test"] };
  assert.equal(declareEnv({ ...base, name: "TEST_D1", type: "bool", default: true }).get(), true);
  assert.equal(
    declareEnv({ ...base, name: "TEST_D2", type: "duration", default: "30s" }).get(),
    30_000,
  );
  assert.equal(
    declareEnv({ ...base, name: "TEST_D3", type: "duration", default: 100 }).get(),
    100,
  );
  assert.equal(declareEnv({ ...base, name: "TEST_D4", type: "string" }).get(), undefined);
  const described = declaredEnv().filter(({ name }) => /^TEST_D\d$/.test(name));
  assert.deepEqual(described.map((each) => each.default), ["true", "30s", "100ms", undefined]);
});

Deno.test("a second declaration adds readers, and is refused when it disagrees", () => {
  const base = { name: "TEST_TWICE", type: "int", default: 1, doc: "d" } as const;
  declareEnv({ ...base, readers: ["b"] });
  declareEnv({ ...base, readers: ["a"] });
  const [described] = declaredEnv().filter(({ name }) => name === "TEST_TWICE");
  assert.deepEqual(described?.readers, ["a", "b"]);
  assert.throws(
    () => declareEnv({ ...base, default: 2, readers: ["c"] }),
    /TEST_TWICE is declared as int \(default 1\) and as int \(default 2\)/,
  );
});

Deno.test("validateEnv reports every bad value at once, those of the asking program only", () => {
  const one = declareOne("int", ["checked"]);
  const two = declareOne("bool", ["checked"]);
  const other = declareOne("bool", ["unchecked"]);
  using _ = useEnvironment({ [one.name]: "x", [two.name]: "y", [other.name]: "z" });
  assert.throws(() => validateEnv("checked"), (error) => {
    assert(error instanceof MeshError);
    return error.message.includes(one.name) && error.message.includes(two.name) &&
      !error.message.includes(other.name);
  });
});

Deno.test("an environment put in force is taken back", () => {
  const variable = declareOne("string");
  {
    using _ = useEnvironment({ [variable.name]: "inner" });
    assert.equal(variable.get(), "inner");
  }
  assert.equal(variable.get(), undefined);
});
