import { messageOf } from "../../kit/base/mod.ts";
import type { DaemonAnswer, DaemonEndpoint } from "./types.ts";
import { notFound, refused, unexpected, unreachable } from "./errors.ts";

/** Largest answer, bytes: a dump of a large proxy has tens of megabytes. */
const MAX_ANSWER = 256 * 1024 * 1024;

/** Asks the page of a query. */
export async function askOverHttp(
  { address, token }: DaemonEndpoint,
  query: string,
  signal: AbortSignal,
): Promise<DaemonAnswer> {
  const base = `${address.replace(/\/(debug\/?)?$/, "")}/debug/`;
  const headers: Record<string, string> = { accept: "application/json" };
  if (token !== undefined) headers.authorization = `Bearer ${token}`;
  let answer: Response;
  try {
    answer = await fetch(requestOf(base, query), { signal, headers, redirect: "error" });
  } catch (cause) {
    throw unreachable("http", address, messageOf(cause), cause);
  }
  const text = await readBounded(address, answer);
  if (answer.ok) return { text };
  if (answer.status === 404) throw notFound(text);
  if (answer.status === 401 || answer.status === 403) throw refused(address, text);
  throw unexpected(address, `${answer.status} ${text}`);
}

/** Longest query of a URL, characters; a longer one is the body of a POST. */
const MAX_QUERY = 8 * 1024;

function requestOf(base: string, query: string): Request {
  const mark = query.indexOf("?");
  if (query.length <= MAX_QUERY || mark < 0) return new Request(base + query);
  return new Request(base + query.slice(0, mark), {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: query.slice(mark + 1),
  });
}

async function readBounded(address: string, { body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let [text, size] = ["", 0];
  for await (const part of body ?? []) {
    size += part.length;
    if (size > MAX_ANSWER) throw unexpected(address, "more than 256 MiB");
    text += decoder.decode(part, { stream: true });
  }
  return text + decoder.decode();
}
