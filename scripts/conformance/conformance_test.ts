import assert from "node:assert/strict";
import { readDeviations } from "./deviations.ts";
import { conformance, main } from "./main.ts";

const GOOD = `apiVersion: networking.mesh.io/v1
kind: WorkloadEntry
metadata: {name: a}
spec: {address: 1.2.3.4}
`;
const BAD = GOOD.replace("1.2.3.4", "x_y");
const page = (...rows: string[]) =>
  `# Page\n\n## Deviations\n\n| Corpus | Case | Reason |\n| --- | --- | --- |\n${
    rows.join("\n")
  }\n`;

/** Runs the comparison over a `validation` corpus of the test; the other corpora are empty. */
async function compared(
  cases: readonly {
    name: string;
    text: string;
    valid: boolean;
    error?: string;
    schemaOnly?: true;
  }[],
  rows: readonly string[] = [],
): Promise<{ out: string[]; err: string[]; status: number }> {
  const folder = await Deno.makeTempDir({ prefix: "mesh-conformance-" });
  try {
    for (
      const corpus of [
        "analyzers",
        "authz",
        "bootstrap",
        "bugreport",
        "cli",
        "configdump",
        "injection",
        "gateway",
        "unheard",
        "iptables",
        "samples",
        "validation",
      ]
    ) {
      await Deno.mkdir(`${folder}/${corpus}`);
      await Deno.writeTextFile(`${folder}/${corpus}/cases.json`, '{"cases": []}');
    }
    for (const { name, text } of cases) {
      await Deno.writeTextFile(`${folder}/validation/${name}.yaml`, text);
    }
    await Deno.writeTextFile(
      `${folder}/validation/cases.json`,
      JSON.stringify({
        cases: cases.map(({ name, valid, error, schemaOnly }) => ({
          name,
          inputs: [`${name}.yaml`],
          expected: { valid, error },
          options: { schemaOnly },
        })),
      }),
    );
    const out: string[] = [];
    const err: string[] = [];
    const output = { out: (line: string) => out.push(line), err: (line: string) => err.push(line) };
    return { out, err, status: await conformance(folder, page(...rows), output) };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("conformance: one line a corpus, and success when all is as expected", async () => {
  const { out, ...rest } = await compared([
    { name: "good", text: GOOD, valid: true },
    { name: "bad", text: BAD, valid: false, error: "spec.address: Invalid value" },
    { name: "somehow", text: BAD, valid: false, error: "address is no address" },
    { name: "schema", text: GOOD, valid: false, error: "spec.address: x", schemaOnly: true },
  ]);
  const absent = /^(\w+) not compared: the folder does not have it$/;
  assert.ok(out.some((line) => absent.exec(line)?.[1] === "ingress"), out.join("\n"));
  assert.deepEqual(
    { out: out.filter((line) => !absent.test(line)), ...rest },
    {
      out: [
        "unheard not compared: the task does not know it",
        "analyzers 0/0",
        "authz 0/0",
        "bootstrap 0/0",
        "bugreport 0/0",
        "cli 0/0",
        "configdump 0/0",
        "gateway 0/0",
        "injection 0/0",
        "iptables 0/0",
        "samples 0/0",
        "validation 4/4",
      ],
      err: [],
      status: 0,
    },
  );
});

Deno.test("conformance: cases that are not as expected fail, each with what is not", async () => {
  const { out, err, status } = await compared([
    { name: "refused", text: BAD, valid: true },
    { name: "accepted", text: GOOD, valid: false, error: "spec.address: Invalid value" },
    { name: "elsewhere", text: BAD, valid: false, error: "spec.ports: Invalid value" },
  ]);
  assert.ok(out.includes("validation 0/3"), out.join("\n"));
  assert.equal(status, 1);
  assert.equal(err.length, 3);
  assert.match(err[0] ?? "", /^conformance: validation: refused: refused spec\.address: "x_y"/);
  assert.match(err[1] ?? "", /accepted: accepted, where this is expected: spec\.address/);
  assert.match(err[2] ?? "", /elsewhere: refused spec\.address, where spec\.ports is expected$/);
});

Deno.test("conformance: listed cases must differ", async () => {
  const listed = "| `validation` | `refused` | because |";
  const differs = await compared([{ name: "refused", text: BAD, valid: true }], [listed]);
  assert.deepEqual([differs.out.includes("validation 0/1"), differs.status], [true, 0]);
  const stale = await compared([{ name: "refused", text: GOOD, valid: true }], [listed]);
  assert.equal(stale.status, 1);
  assert.match(stale.err[0] ?? "", /refused: listed as a deviation, and is as expected now/);
  const other = await compared([], ["| `nosuch` | `x` | because |"]);
  assert.match(other.err[0] ?? "", /nosuch: x: listed, and there is no such corpus/);
});

Deno.test("conformance: the list has a reason for each row, and each row once", () => {
  assert.deepEqual(readDeviations(page("| `a` | `b c` | why so |")), [
    { corpus: "a", name: "b c", reason: "why so" },
  ]);
  assert.throws(() => readDeviations(page("| `a` | `b` | |")), /a: b has no reason/);
  assert.throws(
    () => readDeviations(page("| `a` | `b` | x |", "| `a` | `b` | y |")),
    /stands twice/,
  );
  assert.throws(() => readDeviations("# Page"), /no heading/);
});

Deno.test("conformance: without corpora it says so and ends with status 2", async () => {
  for (const folder of [undefined, "", "/nosuch/folder"]) {
    const err: string[] = [];
    const status = await main(folder, { out: () => {}, err: (line) => err.push(line) });
    assert.equal(status, 2);
    assert.match(
      err.join("\n"),
      folder ? /the folder \/nosuch\/folder cannot be read/ : /MESH_CORPORA is not set/,
    );
  }
});
