/**
 * HTTP calls with any `Host`, which `fetch` does not allow.
 *
 * @module
 */
import { request } from "node:http";
import type { Echo } from "./backend.ts";

/** A response. */
export interface Answer {
  readonly status: number;
  /** Headers by lower-case name; repeated ones are joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The body, if a backend answered. */
  readonly echo: Echo | undefined;
}

export interface CallOptions {
  readonly host?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly timeoutMs?: number;
  /** Source address. */
  readonly localAddress?: string;
}

/** Makes one HTTP/1.1 call on a new connection. Rejects without a response. */
export function call(url: string, options: CallOptions = {}): Promise<Answer> {
  const { host, method = "GET", headers = {}, body, timeoutMs = 20_000, localAddress } = options;
  return new Promise((resolve, reject) => {
    const req = request(url, {
      method,
      agent: false,
      localAddress,
      headers: { ...(host === undefined ? {} : { host }), ...headers },
      timeout: timeoutMs,
    }, (res) => {
      let text = "";
      res.setEncoding("utf8");
      res.on("data", (chunk: string) => text += chunk);
      res.on("error", reject);
      res.on("end", () => {
        const flat = Object.entries(res.headers).map(([k, v]) => [k, String(v)]);
        resolve({
          status: res.statusCode ?? 0,
          headers: Object.fromEntries(flat),
          body: text,
          echo: echoOf(text),
        });
      });
    });
    req.on("timeout", () => req.destroy(new Error(`no answer from ${url} in ${timeoutMs} ms`)));
    req.on("error", reject);
    req.end(body);
  });
}

function echoOf(text: string): Echo | undefined {
  if (!text.startsWith('{"backend":')) return undefined;
  return JSON.parse(text) as Echo;
}

/**
 * Counts which backend answered each of several equal calls; other responses are counted by status.
 */
export async function spread(
  count: number,
  url: string,
  options: CallOptions = {},
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const width = 10;
  for (let done = 0; done < count; done += width) {
    const batch = Array.from({ length: Math.min(width, count - done) }, () => call(url, options));
    for (const answer of await Promise.all(batch)) {
      const key = answer.status === 200 && answer.echo !== undefined
        ? answer.echo.backend
        : `${answer.status}`;
      counts[key] = (counts[key] ?? 0) + 1;
    }
  }
  return counts;
}
