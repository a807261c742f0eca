import { MeshError } from "../../lib/base/mod.ts";

/**
 * The text of a response, up to a number of bytes.
 *
 * @throws {MeshError} for a longer one
 */
export async function readLimited(response: Response, limit: number): Promise<string> {
  const decoder = new TextDecoder();
  let [text, size] = ["", 0];
  for await (const part of response.body ?? []) {
    size += part.length;
    if (size > limit) {
      throw new MeshError("daemon-answer", `the answer has more than ${limit} bytes`);
    }
    text += decoder.decode(part, { stream: true });
  }
  return text + decoder.decode();
}
