/**
 * The process of one client, which answers questions over HTTP.
 *
 * @module
 */
import { fromFileUrl } from "../../../scripts/paths.ts";
import { startCommand } from "../../../scripts/harness/process.ts";

/** A running client. */
export interface Contestant extends AsyncDisposable {
  readonly pid: number;
  /** Sends a question and waits for the answer. */
  ask(question: string): Promise<string>;
}

/** A way to follow objects, or to read them. */
export type Kind =
  | "informer"
  | "informer-cured"
  | "follow"
  | "typed-library"
  | "typed-over-orch"
  | "typed-orch";

/** Starts the client and waits until it has received everything. */
export async function startContestant(kind: Kind, kubeconfig: string): Promise<Contestant> {
  const module = fromFileUrl(new URL(`./${MODULES[kind]}.ts`, import.meta.url));
  const cured = kind === "informer-cured" ? ["cured"] : [];
  const args = ["run", "-A", "-q", "--no-check", module, kubeconfig, ...cured];
  const program = startCommand(Deno.execPath(), args);
  await program.printed(/port \d+\n/);
  const [, port] = /port (\d+)\n/.exec(program.output()) ?? [];
  return {
    pid: program.pid,
    ask: async (question) => {
      const answer = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: question });
      return await answer.text();
    },
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  };
}

const MODULES: Readonly<Record<Kind, string>> = {
  "informer": "informer",
  "informer-cured": "informer",
  "follow": "followed",
  "typed-library": "typed_library",
  "typed-over-orch": "typed_over_orch",
  "typed-orch": "typed_orch",
};

/** Answers questions until the process is ended. */
export function answer(reply: (question: string) => string | Promise<string>): void {
  Deno.serve({
    hostname: "127.0.0.1",
    port: 0,
    onListen: ({ port }) => console.log(`port ${port}`),
  }, async (request) => new Response(await reply(await request.text())));
}
