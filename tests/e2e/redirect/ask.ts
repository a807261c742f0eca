/**
 * A client program; its starter chooses network and group. `ask.ts http URL HOST`, `ask.ts post URL`
 * or `ask.ts tcp ADDRESS PORT` prints the answer or the error as JSON.
 *
 * @module
 */
import { askTcp, call } from "../../../scripts/harness/mod.ts";

const [kind, where = "", more = ""] = Deno.args;
const TIMEOUT_MS = 20_000;

/** The printed result. */
export interface Asked {
  readonly status?: number;
  /** The responding backend. */
  readonly from?: string;
  /** The client's address, as who answered saw it. */
  readonly seen?: string;
  readonly error?: string;
}

async function ask(): Promise<Asked> {
  if (kind === "tcp") return { from: await askTcp(where, Number(more), TIMEOUT_MS) };
  if (kind === "post") {
    const answer = await fetch(where, { method: "POST", signal: AbortSignal.timeout(TIMEOUT_MS) });
    return { status: answer.status, from: (await answer.text()).trim() };
  }
  const { status, headers } = await call(where, { host: more, timeoutMs: TIMEOUT_MS });
  return { status, from: headers["x-backend"], seen: headers["x-seen"] };
}

if (import.meta.main) {
  const asked = await ask().catch((e: Error): Asked => ({ error: e.message }));
  console.log(JSON.stringify(asked));
}
