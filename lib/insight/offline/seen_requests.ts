/**
 * Requests that proxies have logged, as questions about a mesh.
 *
 * @module
 */
import { type QuestionFields } from "../explain/mod.ts";
import type { OfflineMesh } from "./mesh.ts";

/** Equal requests of access logs. Plain data. */
export interface SeenRequest {
  readonly url: string;
  readonly method: string;
  /** `NAME: VALUE`. */
  readonly headers: readonly string[];
  /** Addresses without ports: of the proxy's client, and of the proxy. */
  readonly remote?: string;
  readonly local?: string;
  /** Number of lines. */
  readonly times: number;
}

/** Most requests that are taken; a log has more lines, of which many are equal. */
export const MAX_SEEN = 1000;

/** Reads a list of them from JSON; `undefined` for a text that is none. */
export function readSeenRequests(text: string): SeenRequest[] | undefined {
  if (text === "") return [];
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) && list.every(isSeen) ? list.slice(0, MAX_SEEN) : undefined;
  } catch {
    return undefined;
  }
}

function isSeen(value: unknown): value is SeenRequest {
  const { url, method, headers, times, remote, local } = (value ?? {}) as Partial<SeenRequest>;
  return typeof url === "string" && typeof method === "string" && typeof times === "number" &&
    Array.isArray(headers) && headers.every((one) => typeof one === "string") &&
    [remote, local].every((one) => one === undefined || typeof one === "string");
}

/** Seen requests with their first proxies. */
export interface SeenQuestions {
  /** Numbers of lines by question. */
  readonly questions: ReadonlyMap<QuestionFields, number>;
  /** Number of lines whose first proxy the mesh does not have. */
  readonly strange: number;
}

/** Finds the first proxy of each request: the sidecar of its client, else the gateway that logged it. */
export function seenQuestions(mesh: OfflineMesh, seen: readonly SeenRequest[]): SeenQuestions {
  const found = new Map<string, { readonly question: QuestionFields; times: number }>();
  let strange = 0;
  for (const { url, method, headers, remote, local, times } of seen) {
    const client = mesh.nameAt(remote, "sidecar");
    const from = client ?? mesh.nameAt(local, "router");
    if (from === undefined) {
      strange += times;
      continue;
    }
    const isOutside = client === undefined && remote !== undefined;
    const question = { from, url, method, headers, ...isOutside ? { client: remote } : {} };
    const key = JSON.stringify(question);
    const known = found.get(key);
    if (known === undefined) found.set(key, { question, times });
    else known.times += times;
  }
  return {
    questions: new Map([...found.values()].map(({ question, times }) => [question, times])),
    strange,
  };
}
