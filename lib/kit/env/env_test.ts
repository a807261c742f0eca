import assert from "node:assert/strict";
import { MeshError } from "../base/mod.ts";
import {
  declaredEnv,
  declareEnv,
  declareIneffectiveVariables,
  declareSwitch,
  type EnvType,
  ineffectiveVariables,
  listEnv,
  useEnvironment,
  validateEnv,
  warnIneffectiveVariables,
} from "./mod.ts";

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
  assert.throws(
    () => declareEnv({ ...base, range: { least: 1 }, readers: ["c"] }),
    /TEST_TWICE is declared as int \(default 1\) and as int of at least 1 \(default 1\)/,
  );
  assert.throws(
    () => declareEnv({ ...base, doc: "e", readers: ["c"] }),
    /TEST_TWICE is described as "d" and as "e"/,
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

const RANGES: [type: "int" | "float" | "duration", text: string, form: string][] = [
  ["int", "0", "a whole number from 1 to 65535"],
  ["int", "65536", "a whole number from 1 to 65535"],
  ["float", "0.5", "a number from 1 to 65535"],
  ["duration", "-5s", "a duration such as 100ms or 1h30m from 1ms to 1m5.535s"],
];

for (const [type, text, form] of RANGES) {
  Deno.test(`a bounded ${type} refuses ${text} at the start, saying its bounds`, () => {
    const range = { least: 1, most: 65_535 };
    const name = `TEST_RANGE_${++serial}`;
    const variable = declareEnv({ name, type, range, doc: "d", readers: ["ranged"] });
    using _ = useEnvironment({ [name]: text });
    const expected = { code: "env-invalid", message: new RegExp(`${name} .*; it takes ${form}$`) };
    assert.throws(() => validateEnv("ranged"), expected);
    assert.throws(() => variable.get(), expected);
  });
}

Deno.test("a text of a few choices refuses others, naming them; nothing is none of them", () => {
  const name = "TEST_CHOICES";
  const choices = ["a", "b", "c"];
  const variable = declareEnv({ name, type: "string", choices, doc: "d", readers: ["choosing"] });
  const read = (text: string): string | undefined => {
    using _ = useEnvironment({ [name]: text });
    validateEnv("choosing");
    return variable.get();
  };
  assert.deepEqual(["b", ""].map(read), ["b", ""]);
  const expected = {
    code: "env-invalid",
    message: `environment variable ${name} is set to "B"; it takes a, b or c`,
    remedy: `Set ${name} to a, b or c, or unset it.`,
  };
  assert.throws(() => read("B"), expected);
});

Deno.test("a switch takes words beside true and false, in every program that accepts it", () => {
  const name = "TEST_SWITCH_WORDS";
  const choices = ["true", "false", "auto"];
  const variable = declareSwitch({
    name,
    default: false,
    words: ["auto"],
    doc: "d",
    readers: ["reading"],
  });
  listEnv([
    { name, type: "bool", programs: ["accepting"], choices },
    { name: "TEST_SWITCH_LISTED", type: "bool", programs: ["accepting"], choices },
  ]);
  const read = (text: string): boolean | "auto" => {
    using _ = useEnvironment({ [name]: text, TEST_SWITCH_LISTED: text });
    validateEnv("reading");
    validateEnv("accepting");
    return variable.get();
  };
  assert.deepEqual(["", "1", "FALSE", "auto"].map(read), [false, true, false, "auto"]);
  assert.throws(
    () => read("maybe"),
    /TEST_SWITCH_WORDS is set to "maybe"; it takes true, false or auto/,
  );
});

Deno.test("another default holds while another variable is true", () => {
  const defaultWhen = { variable: "TEST_SWITCH", default: true };
  const name = "TEST_DEPENDS";
  const variable = declareEnv({
    name,
    type: "bool",
    default: false,
    defaultWhen,
    doc: "d",
    readers: [],
  });
  const cases: [environment: Record<string, string>, expected: boolean][] = [
    [{}, false],
    [{ TEST_SWITCH: "false" }, false],
    [{ TEST_SWITCH: "true" }, true],
    [{ TEST_SWITCH: "true", [name]: "false" }, false],
    [{ TEST_SWITCH: "true", [name]: "" }, true],
  ];
  for (const [environment, expected] of cases) {
    using _ = useEnvironment(environment);
    assert.equal(variable.get(), expected, JSON.stringify(environment));
  }
  using _ = useEnvironment({ TEST_SWITCH: "maybe" });
  assert.throws(() => variable.get(), /TEST_SWITCH is set to "maybe"/);
});

const INEFFECTIVE = {
  type: "bool",
  default: false,
  doc: "ineffective",
  programs: ["taker"],
} as const;

Deno.test("an ineffective variable is validated by its program and reported with its reader", () => {
  const state = { kind: "unsupported", reason: "the rest" } as const;
  declareIneffectiveVariables([{
    state,
    readers: ["reader"],
    rows: [{ ...INEFFECTIVE, name: "TEST_INEFFECTIVE" }],
  }]);
  {
    using _ = useEnvironment({ TEST_INEFFECTIVE: "maybe" });
    for (const program of ["taker", "reader"]) {
      assert.throws(() => validateEnv(program), /TEST_INEFFECTIVE is set to "maybe"/);
    }
    validateEnv("other");
  }
  using _ = useEnvironment({ TEST_INEFFECTIVE: "true" });
  assert.deepEqual(ineffectiveVariables("reader"), [{ name: "TEST_INEFFECTIVE", state }]);
  assert.deepEqual(ineffectiveVariables("taker"), []);
});

Deno.test("a variable that a room declares acts, whatever was said of it before or after", () => {
  const state = { kind: "ineffective", reason: "r" } as const;
  for (const [name, ineffectiveFirst] of [["TEST_WINS_A", true], ["TEST_WINS_B", false]] as const) {
    const declare = () =>
      declareIneffectiveVariables([{ state, readers: ["r"], rows: [{ ...INEFFECTIVE, name }] }]);
    if (ineffectiveFirst) declare();
    declareEnv({ name, type: "bool", default: false, doc: "effective", readers: ["own"] });
    if (!ineffectiveFirst) declare();
    const row = declaredEnv().find((each) => each.name === name);
    assert.equal(row?.state.kind, "effective");
    assert.equal(row?.doc, "effective");
    assert.deepEqual(row?.readers, ["own"]);
    assert.deepEqual(row?.programs, ["own", "r", "taker"]);
  }
});

Deno.test("a program takes variables of others when it is said to, of the same type", () => {
  listEnv([{ name: "TEST_LISTED", type: "int", programs: ["guest"] }]);
  using _ = useEnvironment({ TEST_LISTED: "x" });
  assert.throws(() => validateEnv("guest"), /TEST_LISTED is set to "x"; it takes a whole number/);
  const declaration = { name: "TEST_LISTED", default: 1, doc: "d", readers: ["host"] } as const;
  assert.throws(
    () => declareEnv({ ...declaration, type: "float" }),
    /TEST_LISTED is declared as int and as float/,
  );
  declareEnv({ ...declaration, type: "int" });
  const row = declaredEnv().find(({ name }) => name === "TEST_LISTED");
  assert.deepEqual([row?.readers, row?.programs], [["host"], ["guest", "host"]]);
});

Deno.test("warnings give the reason why a variable has no effect", () => {
  const warnings: unknown[] = [];
  warnIneffectiveVariables([
    { name: "A", state: { kind: "unsupported", reason: "certificates" } },
    { name: "B", state: { kind: "ineffective", reason: "there is one codec" } },
  ], (message, fields) => warnings.push([message, fields]));
  assert.deepEqual(warnings, [
    ["this variable has no effect: not implemented", { variable: "A", missing: "certificates" }],
    ["this variable has no effect", { variable: "B", reason: "there is one codec" }],
  ]);
});
