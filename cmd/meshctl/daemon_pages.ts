import { MeshError } from "../../lib/base/mod.ts";
import { readLimited } from "./limited.ts";

/** The debug address of a daemon, and how long to wait for it. */
export interface DaemonPages {
  /** `host:port` or a URL. */
  readonly address: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Maximum length of an answer, in bytes. */
const MAX_ANSWER = 256 * 1024 * 1024;

/**
 * The answer of a debug page.
 *
 * @param path such as `/debug/history`
 * @throws {MeshError} when the daemon cannot be reached or refuses
 */
export async function readPage(
  { address, timeoutMs, signal }: DaemonPages,
  path: string,
  parameters: readonly (readonly [string, string])[] = [],
): Promise<string> {
  const url = URL.parse(path, /^https?:\/\//.test(address) ? address : `http://${address}`);
  if (url === null) {
    throw new MeshError("daemon-address", `"${address}" is no address`, {
      remedy: "Write host:port or http://host:port.",
    });
  }
  for (const [name, value] of parameters) url.searchParams.append(name, value);
  let response: Response;
  try {
    response = await fetch(url, {
      headers: { accept: "application/json" },
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
  } catch (cause) {
    throw new MeshError("daemon-unreachable", `the daemon at ${url.host} does not answer`, {
      remedy: "Check --daemon; it is the debug address, by default port 8080 of the daemon.",
      cause,
    });
  }
  const text = await readLimited(response, MAX_ANSWER);
  if (response.ok) return text;
  const first = text.split("\n", 1)[0] ?? "";
  throw new MeshError(
    "daemon-refused",
    `the daemon at ${url.host} answers ${response.status}: ${first}`,
    {
      remedy: response.status === 401 ? "Ask from the host of the daemon." : undefined,
    },
  );
}
