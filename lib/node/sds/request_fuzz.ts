/**
 * Fuzz target: requests for secrets. Reading throws `RpcError` INVALID_ARGUMENT, or gives names that
 * are served.
 *
 * @module
 */
import assert from "node:assert/strict";
import { RpcError } from "../../kit/rpc/mod.ts";
import { readSecretRequest } from "./request.ts";

/** Reads an input as a request. */
export function fuzz(input: Uint8Array): void {
  try {
    const { names } = readSecretRequest(input);
    assert.ok(names.length <= 100);
    for (const name of names) {
      assert.match(name, /^(default|ROOTCA|file-cert:[^]+|file-root:[^]+)$/);
    }
  } catch (error) {
    assert.ok(error instanceof RpcError && error.status === "INVALID_ARGUMENT", String(error));
  }
}
