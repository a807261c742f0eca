import assert from "node:assert/strict";
import fc from "fast-check";
import { startFileSource } from "../mod.ts";
import {
  documents,
  entry,
  eventually,
  intakeOf,
  QUICK,
  type Sandbox,
  withSource,
} from "../../../../tests/support/file_source_fixture.ts";

const FILES = ["a.yaml", "b.yaml", "sub/c.yaml", "sub/deep/d.yml"];
const NAMES = ["p", "q", "r"];

type Step =
  | {
    readonly do: "write" | "replace";
    readonly file: string;
    readonly names: string[];
    readonly port: number;
  }
  | { readonly do: "break" | "remove" | "truncate"; readonly file: string }
  | { readonly do: "rename"; readonly file: string; readonly to: string }
  | { readonly do: "removeDir" | "pause" };

const file = fc.constantFrom(...FILES);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constantFrom("write" as const, "replace" as const),
      file,
      names: fc.subarray(NAMES),
      port: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom("break" as const, "remove" as const, "truncate" as const),
      file,
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("rename" as const), file, to: file }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constantFrom("removeDir" as const, "pause" as const) }),
  },
);

async function perform(dir: string, step: Step): Promise<void> {
  try {
    Deno.mkdirSync(`${dir}/sub/deep`, { recursive: true });
    switch (step.do) {
      case "write":
      case "replace": {
        const text = documents(...step.names.map((name) => entry(name, step.port)));
        const target = step.do === "write" ? step.file : `${step.file}.tmp`;
        Deno.writeTextFileSync(`${dir}/${target}`, text);
        if (step.do === "replace") Deno.renameSync(`${dir}/${target}`, `${dir}/${step.file}`);
        break;
      }
      case "break":
        Deno.writeTextFileSync(`${dir}/${step.file}`, documents(entry("p", 70000), "x: ["));
        break;
      case "truncate":
        Deno.truncateSync(`${dir}/${step.file}`);
        break;
      case "remove":
        Deno.removeSync(`${dir}/${step.file}`);
        break;
      case "rename":
        Deno.renameSync(`${dir}/${step.file}`, `${dir}/${step.to}`);
        break;
      case "removeDir":
        Deno.removeSync(`${dir}/sub`, { recursive: true });
        break;
      case "pause":
        await new Promise((resolve) => setTimeout(resolve, 30));
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

/** Last good versions are memory, which a fresh reader has not: broken files are repaired at the end. */
function repair(dir: string): void {
  for (const name of FILES) {
    try {
      const path = `${dir}/${name}`;
      if (Deno.readTextFileSync(path).includes("x: [")) Deno.writeTextFileSync(path, entry("p", 9));
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
}

function state(source: Sandbox["source"]): unknown[] {
  return source.objects().map(({ meta: { name, origin }, digest }) => [name, origin, digest]);
}

Deno.test("file source: after any storm of file operations it holds what a fresh reader reads", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      await withSource(() => {}, async (sandbox) => {
        for (const one of steps) await perform(sandbox.dir, one);
        repair(sandbox.dir);
        const fresh = await startFileSource({
          dir: sandbox.dir,
          intake: intakeOf(() => {}),
          timing: QUICK,
        });
        try {
          const expected = state(fresh);
          await eventually(() => assert.deepEqual(state(sandbox.source), expected));
          const strip = (problems: Sandbox["source"]) =>
            problems.problems().map(({ file, line, code }) => [file, line, code]);
          await eventually(() => assert.deepEqual(strip(sandbox.source), strip(fresh)));
        } finally {
          await fresh.close();
        }
      });
    }),
    { numRuns: 25 },
  );
});
