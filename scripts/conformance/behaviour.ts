/**
 * `deno task conformance:behaviour [NAME...]`: compares what proxies are told about the objects of
 * small clusters with the facts of the corpus `behaviour`. The comparison itself belongs to the corpus: a
 * program, which `MESH_BEHAVIOUR` names, runs the daemon at a real API server and prints a line for
 * each case. This task holds its result against the deviations of `docs/conformance.md`. A NAME is a
 * part of the names of cases.
 *
 * @module
 */
import { fromFileUrl } from "../paths.ts";
import type { Outcome } from "./corpus.ts";
import { type Deviation, disagreements, readDeviations } from "./deviations.ts";

const PAGE = fromFileUrl(new URL("../../docs/conformance.md", import.meta.url));

/** The name of the corpus in the deviations. */
export const BEHAVIOUR = "behaviour";

/** Exit status when there is nothing to compare with. */
const EXIT_NO_PROGRAM = 2;

/** `ok   NAME (3.2 s)`, `DIFF NAME (3.2 s)`, `ERROR NAME: reason`, `no expected facts of NAME`. */
const CASE = /^(?:(ok|DIFF|ERROR) +([\w.-]+)(?: \(|:)|no expected facts of ([\w.-]+))(.*)$/;
/** A difference of the case above it. */
const DIFFERENCE = /^ {5}\[[^\]]*\] (.*)$/;
/** The closing line. */
const CLOSING = /^diff (\d+)\/(\d+) cases equal$/;

/**
 * The outcome that the program's output tells. A program that did not come to its closing line, or
 * whose closing line counts other cases than its lines, has failed as a whole.
 */
export function behaviourOutcome(output: string): Outcome {
  const failed = new Map<string, string>();
  let total = 0;
  let current = "";
  let closing: RegExpExecArray | null = null;
  for (const line of output.split("\n")) {
    closing ??= CLOSING.exec(line);
    const found = CASE.exec(line);
    if (found !== null) {
      total++;
      current = found[2] ?? found[3] ?? "";
      if (found[1] === "ERROR") failed.set(current, found[4]!.trim());
      if (found[1] === "DIFF") failed.set(current, "");
      if (found[1] === undefined) failed.set(current, "the corpus has no expected facts");
    }
    const difference = DIFFERENCE.exec(line)?.[1];
    const known = failed.get(current);
    if (difference !== undefined && known !== undefined) {
      failed.set(current, known === "" ? difference : `${known}\n    ${difference}`);
    }
  }
  const equal = total - failed.size;
  if (closing === null || total === 0) {
    failed.set("(run)", "the comparison ended early");
  } else if (Number(closing[1]) !== equal || Number(closing[2]) !== total) {
    failed.set("(run)", `the comparison says "${closing[0]}", its lines ${equal}/${total}`);
  }
  return { corpus: BEHAVIOUR, total, failed };
}

/** Contradictions to the deviations. A run over some of the cases says nothing about the others. */
export function behaviourDisagreements(
  outcome: Outcome,
  deviations: readonly Deviation[],
  whole: boolean,
): readonly string[] {
  const listed = deviations.filter(({ corpus, name }) =>
    corpus === BEHAVIOUR && (whole || outcome.failed.has(name))
  );
  return disagreements(outcome, listed);
}

/** The variable that names the corpus to the program, which else looks beside the checkout. */
function corpusOf(corpora: string | undefined): { readonly BEHAVIOUR?: string } {
  return corpora === undefined || Deno.env.has("BEHAVIOUR")
    ? {}
    : { BEHAVIOUR: `${corpora}/${BEHAVIOUR}` };
}

/** Runs the program and passes its output on. */
async function run(program: string, names: readonly string[]): Promise<string> {
  const child = new Deno.Command("bash", {
    args: [program, ...names],
    env: { DENO: Deno.execPath(), ...corpusOf(Deno.env.get("MESH_CORPORA")) },
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  let output = "";
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    output += text;
    await Deno.stdout.write(new TextEncoder().encode(text));
  }
  await child.status;
  return output;
}

async function main(names: readonly string[]): Promise<number> {
  const program = Deno.env.get("MESH_BEHAVIOUR") ?? "";
  if (program === "") {
    console.error(
      "conformance: MESH_BEHAVIOUR is not set; it names the program of the corpus behaviour",
    );
    return EXIT_NO_PROGRAM;
  }
  const deviations = readDeviations(Deno.readTextFileSync(PAGE));
  const outcome = behaviourOutcome(await run(program, names));
  const wrong = behaviourDisagreements(outcome, deviations, names.length === 0);
  for (const line of wrong) console.error(`conformance: ${line}`);
  const differing = [...outcome.failed.keys()].filter((name) => name !== "(run)").length;
  console.log(`${BEHAVIOUR} ${outcome.total - differing}/${outcome.total}`);
  return wrong.length === 0 ? 0 : 1;
}

if (import.meta.main) Deno.exit(await main(Deno.args.filter((arg) => arg !== "--")));
