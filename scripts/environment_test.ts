import assert from "node:assert/strict";
import {
  declaredEnv,
  defaultInForce,
  type EnvType,
  formOf,
  INEFFECTIVE_VARIABLES,
  useEnvironment,
  validateEnv,
} from "../lib/kit/env/mod.ts";
import { environmentPage } from "./environment_page.ts";
import { declarationFiles, programSources } from "./environment.ts";
import { usesOf } from "./environment_uses.ts";

const ROWS = declaredEnv();
const SOURCES = await programSources();
const SPEC = Deno.env.get("MESH_SPEC_DIR") ??
  new URL("../../shared/spec", import.meta.url).pathname;
const TYPE_NAMES: Readonly<Record<EnvType, string>> = {
  bool: "boolean",
  int: "integer",
  float: "float",
  duration: "duration",
  string: "string",
};

/** A row of the interface description. */
interface SpecRow {
  readonly name: string;
  readonly type: string;
  readonly default: string | null;
  readonly programs: readonly string[];
}

/**
 * The description's lists are incomplete: from here on only that of the agent continues, although
 * the daemon reads most of the rest.
 */
const DAEMON_CUT_OFF = "PREFER_";

/** Programs beyond the description: the network plugin's agent has its API server by this name, too. */
const ADDED: Readonly<Record<string, readonly string[]>> = { ORCH_SERVICE_HOST: ["install-cni"] };

async function readSpec(file: string): Promise<string | undefined> {
  try {
    return await Deno.readTextFile(`${SPEC}/${file}`);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

const variables = await readSpec("env.json");
const silent = await readSpec("silent-points.md");

/** A test against the description; it is skipped without the description. */
function specTest(name: string, text: string | undefined, check: (text: string) => void): void {
  const skipped = " [no description in MESH_SPEC_DIR]";
  Deno.test({
    name: text === undefined ? name + skipped : name,
    ignore: text === undefined,
    fn: () => check(text ?? ""),
  });
}

specTest("every described variable has its name, type, default and programs", variables, (text) => {
  const rows = new Map(ROWS.map((row) => [row.name, row]));
  const spec: SpecRow[] = JSON.parse(text).env;
  assert(spec.length >= 215);
  for (const { name, type, default: preset, programs } of spec) {
    const row = rows.get(name);
    assert(row !== undefined, `${name} is not in the table`);
    assert.equal(TYPE_NAMES[row.type], type, name);
    assert.equal(row.default ?? null, preset, name);
    const beyond = name >= DAEMON_CUT_OFF && row.readers.includes("pilot-discovery");
    const described = [...programs, ...ADDED[name] ?? []];
    const expected = beyond ? [...described, "pilot-discovery"] : described;
    assert.deepEqual(row.programs, [...new Set(expected)].sort(), name);
  }
});

/** The lines of a section about points that the description leaves open. */
function section(text: string, title: string): string[] {
  const [, rest = ""] = text.split(`\n## ${title}.`);
  return (rest.split("\n## ")[0] ?? "").split("\n");
}

specTest(
  "variables that the lists cut off are in the table, with their defaults",
  silent,
  (text) => {
    const known = new Map(ROWS.map((row) => [row.name, row.default]));
    let seen = 0;
    for (const line of section(text, "G52").filter((each) => each.startsWith("| "))) {
      const [, first = "", preset = ""] = line.split("|").map((cell) => cell.trim());
      const names = first.match(/\b[A-Z][A-Z0-9_]{6,}(?!\*)\b/g) ?? [];
      for (const name of names) assert(known.has(name), name);
      seen += names.length;
      if (first !== names[0]) continue; // several names, whose defaults stand in one cell
      const expected = preset === "(none)"
        ? undefined
        : preset.replaceAll("`", "").replace(/\.0$/, "");
      assert.equal(known.get(first), expected, first);
    }
    assert(seen >= 20, `${seen} names`);
  },
);

specTest("defaults that depend on ambient mode are as described", silent, (text) => {
  const rule = section(text, "G52").find((line) => line.includes("ambient-dependent")) ?? "";
  const described = [...rule.matchAll(/([A-Z_]+): (\w+) → (\w+) when/g)]
    .map(([, name, off, on]) => [name, off, on]);
  assert.equal(described.length, 7);
  const ours = ROWS.flatMap((row) =>
    row.defaultWhen === undefined ? [] : [[row.name, row.default, row.defaultWhen.default]]
  );
  assert.deepEqual(ours.sort(), described.sort());
});

Deno.test("a default that depends on ambient mode follows its switch", () => {
  const row = ROWS.find(({ name }) => name === "PILOT_ENABLE_SENDING_HBONE");
  assert(row !== undefined);
  for (const [ambient, expected] of [["true", "true"], ["false", "false"], ["", "false"]]) {
    using _ = useEnvironment({ PILOT_ENABLE_AMBIENT: ambient ?? "" });
    assert.equal(defaultInForce(row), expected);
  }
});

Deno.test("each variable has one state: no effective one is listed as ineffective, none is listed twice", () => {
  const ineffective = INEFFECTIVE_VARIABLES.flatMap(({ rows }) => rows.map(({ name }) => name));
  assert.equal(new Set(ineffective).size, ineffective.length);
  const effective = new Set(
    ROWS.filter(({ state }) => state.kind === "effective").map(({ name }) => name),
  );
  assert.deepEqual(ineffective.filter((name) => effective.has(name)), []);
  assert.equal(ROWS.length, ineffective.length + effective.size);
});

const WRONG: Readonly<Partial<Record<EnvType, string>>> = {
  bool: "maybe",
  int: "1.5",
  float: "x",
  duration: "10",
};

for (const type of ["bool", "int", "float", "duration"] as const) {
  Deno.test(`every program refuses ${WRONG[type]} in each ${type} it takes`, () => {
    for (const { name, programs, range, choices } of ROWS.filter((row) => row.type === type)) {
      for (const program of programs) {
        using _ = useEnvironment({ [name]: WRONG[type] ?? "" });
        assert.throws(() => validateEnv(program), {
          code: "env-invalid",
          message: `environment variable ${name} is set to "${WRONG[type]}"; it takes ${
            formOf(type, { range, choices })
          }`,
        });
      }
    }
  });
}

Deno.test("every program refuses a text that is not one of the few it takes", () => {
  const rows = ROWS.filter(({ choices }) => choices !== undefined);
  const named = ["COMPLIANCE_POLICY", "CLOUD_PLATFORM", "INBOUND_INTERCEPTION_MODE", "EXTERNAL_CA"];
  assert.deepEqual(named.filter((name) => !rows.some((row) => row.name === name)), []);
  for (const { name, type, programs, choices = [] } of rows) {
    for (const program of programs) {
      using wrong = useEnvironment({ [name]: "other" });
      assert.throws(() => validateEnv(program), {
        code: "env-invalid",
        message: `environment variable ${name} is set to "other"; it takes ${
          formOf(type, { choices })
        }`,
      });
      wrong[Symbol.dispose]();
      for (const value of [...choices, ""]) {
        using _ = useEnvironment({ [name]: value });
        validateEnv(program);
      }
    }
  }
});

Deno.test("docs/environment.md is what `deno task docs` writes", async () => {
  const page = await Deno.readTextFile(new URL("../docs/environment.md", import.meta.url));
  const made = environmentPage(ROWS, declarationFiles(SOURCES), usesOf(SOURCES));
  assert.deepEqual(page.split("\n"), made.split("\n"));
});

Deno.test("docs/status.md gives the reason of each variable without effect in this runtime", async () => {
  const page = await Deno.readTextFile(new URL("../docs/status.md", import.meta.url));
  const flat = page.replaceAll(/\s+/g, " ");
  for (
    const { state, rows } of INEFFECTIVE_VARIABLES.filter((group) =>
      group.state.kind === "ineffective"
    )
  ) {
    assert(flat.includes(state.reason), state.reason);
    for (const { name } of rows) assert(flat.includes(`\`${name}\``), name);
  }
});

Deno.test("variables are declared in variables.ts, or in lib/mesh/environment for pure rooms", () => {
  const files = declarationFiles(SOURCES);
  const effective = declaredEnv().filter(({ name, state }) =>
    state.kind === "effective" && !name.startsWith("TEST_")
  );
  assert.deepEqual(effective.filter(({ name }) => !files.has(name)).map(({ name }) => name), []);
  const convention = /^lib\/mesh\/environment\/|\/variables(\/\w+)?\.ts$/;
  const others = [...files].filter(([, paths]) => paths.some((path) => !convention.test(path)));
  assert.deepEqual(others, []);
});

Deno.test("the page names the files that use a variable, directly or by the setting it is read into", () => {
  const uses = usesOf(SOURCES);
  const expected: Record<string, string> = {
    DATAPROXY_DNS_JITTER_DURATION: "lib/mesh/envoy/cluster_options/dns.ts",
    MESH_GPRC_MAXRECVMSGSIZE: "cmd/pilot-discovery/listen.ts",
    PILOT_DEBOUNCE_AFTER: "lib/mesh/ingest/debounce.ts",
    PILOT_ENABLE_XDS_IDENTITY_CHECK: "cmd/pilot-discovery/identity.ts",
    MESH_DELTA_XDS: "lib/node/agent/plan.ts",
  };
  for (const [name, file] of Object.entries(expected)) {
    assert(uses.get(name)?.includes(file), `${name}: ${uses.get(name)}`);
  }
  const files = declarationFiles(SOURCES);
  for (const [name, using] of uses) {
    assert(using.every((file) => SOURCES.has(file)), name);
    assert(files.has(name), name);
  }
});
