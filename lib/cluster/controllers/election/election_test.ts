import assert from "node:assert/strict";
import type { OrchClient, OrchObject } from "../../../kit/orch/mod.ts";
import { joinElection, precedes } from "./election.ts";

Deno.test("daemons of the default revision take a lease from those of other revisions", () => {
  assert.equal(precedes("blue", "green", "blue"), true);
  assert.equal(precedes("blue", "blue", "blue"), false, "replicas do not take from each other");
  assert.equal(precedes("green", "blue", "blue"), false);
  assert.equal(precedes("green", "red", "blue"), false);
});

/** A server with a lease, which hangs, or waits before it writes, when the test says so. */
function server() {
  let lease: OrchObject | undefined;
  let isHanging = false;
  let beforeWrite: Promise<void> | undefined;
  let noticed: () => void = () => {};
  const asked: string[] = [];
  const json = async (request: { method?: string; body?: unknown }): Promise<unknown> => {
    asked.push(request.method ?? "GET");
    noticed();
    if (isHanging) await new Promise(() => {});
    if (request.body !== undefined) {
      await beforeWrite;
      const version = String(asked.length);
      const { metadata, ...rest } = request.body as OrchObject;
      lease = { ...rest, metadata: { ...metadata, resourceVersion: version } };
    }
    return lease;
  };
  const first = { metadata: { name: "lease", namespace: "a", resourceVersion: "0" }, spec: {} };
  lease = first as unknown as OrchObject;
  return {
    client: { json } as unknown as OrchClient,
    hang: () => void (isHanging = true),
    holdWrites: (until: Promise<void>) => void (beforeWrite = until),
    /** Waits for the next request of a method; default: any. */
    async next(method?: string): Promise<void> {
      do await new Promise<void>((resolve) => noticed = resolve); while (
        method !== undefined && asked.at(-1) !== method
      );
    },
    asked,
    holder: () => (lease as { spec?: { holderIdentity?: string } }).spec?.holderIdentity,
  };
}

const OPTIONS = {
  namespace: "a",
  name: "lease",
  identity: "me",
  revision: "default",
  enabled: true,
  timing: { stopMs: 20, retryMs: 1 },
};

Deno.test("an election whose server hangs ends in time, with its controller hanging or not", async () => {
  for (const hangs of [true, false]) {
    const { client, hang, next } = server();
    const begun = Promise.withResolvers<void>();
    const election = joinElection({
      ...OPTIONS,
      client,
      run: ({ signal }) => {
        begun.resolve();
        if (hangs) return new Promise(() => {});
        return new Promise((done) => signal.addEventListener("abort", () => done()));
      },
    });
    await begun.promise;
    hang();
    await next();
    await election[Symbol.asyncDispose]();
    assert.equal(election.state().leading, false);
  }
});

Deno.test("an ended election gives the lease back, unless its controller may still write", async () => {
  for (const hangs of [true, false]) {
    const { client, holder } = server();
    const begun = Promise.withResolvers<void>();
    const election = joinElection({
      ...OPTIONS,
      client,
      run: ({ signal }) => {
        begun.resolve();
        if (hangs) return new Promise(() => {});
        return new Promise((done) => signal.addEventListener("abort", () => done()));
      },
    });
    await begun.promise;
    await election[Symbol.asyncDispose]();
    assert.equal(holder(), hangs ? "me" : "");
  }
});

Deno.test("an election that ends while it takes the lease gives it back", async () => {
  const { client, holder, holdWrites, next } = server();
  const written = Promise.withResolvers<void>();
  holdWrites(written.promise);
  const timing = { ...OPTIONS.timing, stopMs: 10_000 };
  const writes = next("PUT");
  const election = joinElection({ ...OPTIONS, client, timing, run: () => Promise.resolve() });
  await writes;
  let hasEnded = false;
  const ended = election[Symbol.asyncDispose]().then(() => void (hasEnded = true));
  // All that the election does without an answer of the server.
  for (let turn = 0; turn < 100; turn++) await Promise.resolve();
  assert.equal(hasEnded, false, "it waits for the attempt");
  written.resolve();
  await ended;
  assert.equal(holder(), "");
});
