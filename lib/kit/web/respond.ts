/** Sent with every answer: no sniffing, no framing, no referrer, and nothing kept. */
const SAFE_HEADERS: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
};

/** Status and further headers of an answer. */
export interface AnswerOptions {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer with a body of a media type. */
export function answer(
  body: string | null,
  contentType: string,
  options: AnswerOptions = {},
): Response {
  const headers = new Headers({ ...SAFE_HEADERS, ...options.headers });
  if (body !== null && body !== "") headers.set("content-type", contentType);
  return new Response(body, { status: options.status ?? 200, headers });
}

/** An answer whose body is shared with other answers, instead of copied. */
export function shared(body: Uint8Array<ArrayBuffer>, contentType: string): Response {
  const { headers } = answer(null, "");
  headers.set("content-type", contentType);
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      controller.enqueue(body);
      controller.close();
    },
  }, { highWaterMark: 0 });
  return new Response(stream, { headers });
}

/** A plain-text answer. */
export function text(body: string, options?: AnswerOptions): Response {
  return answer(body, "text/plain; charset=utf-8", options);
}

/** A JSON answer, indented for people; bigints become strings and maps become objects. */
export function json(value: unknown, options?: AnswerOptions): Response {
  return answer(`${JSON.stringify(value, plain, 2)}\n`, "application/json", options);
}

function plain(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  if (value instanceof Map) return Object.fromEntries(value);
  if (value instanceof Set) return [...value];
  return value;
}
