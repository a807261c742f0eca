/** The reason why a body was not read; the listener answers with the status. */
export class BodyError extends Error {
  readonly status: 400 | 413;

  constructor(status: 400 | 413, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * Reads the body of a request or a response as UTF-8. Both the declared length and the received
 * bytes are held to `maxBytes`. Reading ends when `signal` is aborted, so that the body can be
 * discarded then.
 *
 * @throws {BodyError} 413 beyond `maxBytes`; 400 when the body ends early or is not UTF-8.
 */
export async function readBody(
  message: Pick<Request, "headers" | "body">,
  maxBytes: number,
  signal: AbortSignal,
): Promise<string> {
  const tooLarge = () => new BodyError(413, `the body is larger than ${maxBytes} bytes`);
  if (Number(message.headers.get("content-length") ?? 0) > maxBytes) throw tooLarge();
  const reader = message.body?.getReader();
  if (reader === undefined) return "";
  const cancel = () => void reader.cancel(signal.reason).catch(() => {});
  signal.addEventListener("abort", cancel, { once: true });
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let size = 0;
  let text = "";
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      size += part.value.byteLength;
      if (size > maxBytes) throw tooLarge();
      text += decoder.decode(part.value, { stream: true });
    }
    return text + decoder.decode();
  } catch (error) {
    if (error instanceof BodyError) throw error;
    throw new BodyError(400, "the body is not complete or not UTF-8");
  } finally {
    signal.removeEventListener("abort", cancel);
    reader.releaseLock();
  }
}

/** Discards what was not read of a body, so that the runtime stops receiving it. */
export function discardBody({ body }: Pick<Request, "body">): void {
  if (body !== null && !body.locked) body.cancel().catch(() => {});
}
