/**
 * Requests to the metadata server of a cloud platform.
 *
 * @module
 */

/** Metadata of a machine, as its platform reports it. */
export interface PlatformFacts {
  /** Values of `PLATFORM_METADATA`, by key. */
  readonly metadata: Readonly<Record<string, string>>;
  /** Empty parts are unknown. */
  readonly locality: {
    readonly region: string;
    readonly zone: string;
    readonly subzone: string;
  };
}

export interface MetadataServer {
  /** Base URL, without a slash at its end. */
  readonly base: string;
  /** Ends all requests. */
  readonly signal: AbortSignal;
}

/** Largest accepted answer, bytes. Instance documents have a few KiB. */
const MAX_ANSWER = 256 * 1024;

/**
 * Sends a request.
 *
 * @returns the body without white space around it; `undefined` for status 404, which platforms
 * answer for a value that the machine does not have
 * @throws Error for another status, a redirect, an answer that is too large, or without an answer
 */
export async function ask(
  { base, signal }: MetadataServer,
  path: string,
  headers: Readonly<Record<string, string>>,
  method = "GET",
): Promise<string | undefined> {
  const answer = await fetch(`${base}${path}`, { method, headers, signal, redirect: "error" });
  if (answer.status === 404) {
    await answer.body?.cancel();
    return undefined;
  }
  if (!answer.ok) {
    await answer.body?.cancel();
    throw new Error(`${path}: the metadata server answered ${answer.status}`);
  }
  return (await limitedText(answer, path)).trim();
}

async function limitedText({ body }: Response, path: string): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_ANSWER) throw new Error(`${path}: the answer is too large`);
  }
  return text;
}

/**
 * Parses a JSON object.
 *
 * @throws Error for any other text
 */
export function object(text: string | undefined, path: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(text ?? "null");
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Error(`${path}: the answer is no JSON object`);
  }
  return value as Record<string, unknown>;
}

/** The value if it is a text or a number, else an empty text. */
export function text(value: unknown): string {
  return typeof value === "string" ? value : typeof value === "number" ? String(value) : "";
}

/** Leaves out empty values. */
export function known(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ""));
}
