/** @module Checksums of files. */
import { createHash } from "node:crypto";

/** SHA-256 of a file, hexadecimal. */
export async function sha256Of(file: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of (await Deno.open(file)).readable) hash.update(chunk);
  return hash.digest("hex");
}
