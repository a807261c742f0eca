/**
 * A client program; its starter chooses network and group. `ask.ts http URL HOST`, `ask.ts post URL`,
 * `ask.ts tcp ADDRESS PORT` or `ask.ts greeting ADDRESS PORT`, which waits for the server to speak first,
 * prints the answer or the error as JSON.
 *
 * @module
 */
import { connect } from "node:net";
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

/** The first line that a server says without being asked. */
function greeting(host: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port });
    let heard = "";
    const fail = (e: Error): void => {
      socket.destroy();
      reject(e);
    };
    socket.setTimeout(TIMEOUT_MS, () => fail(new Error(`no greeting from ${host}:${port}`)));
    socket.on("error", fail);
    socket.on("close", () => fail(new Error(`${host}:${port} closed after "${heard}"`)));
    socket.setEncoding("utf8");
    socket.on("data", (chunk: string) => {
      heard += chunk;
      if (!heard.includes("\n")) return;
      resolve(heard.slice(0, heard.indexOf("\n")));
      socket.destroy();
    });
  });
}

async function ask(): Promise<Asked> {
  if (kind === "greeting") return { from: await greeting(where, Number(more)) };
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
