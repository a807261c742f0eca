import assert from "node:assert/strict";
import { createBudget } from "../budget.ts";
import { createGate, gateLimits } from "../gate.ts";
import { FLAG, FRAME } from "../h2/frame.ts";
import { Excess } from "./excess.ts";
import { Ledger } from "./ledger.ts";

/** A ledger of a client that nothing else is known of. */
function ledger(): Ledger {
  const gate = createGate(gateLimits());
  const visitor = gate.enter("192.0.2.1:1000", () => {})!;
  gate.close();
  return new Ledger({
    visitor,
    budget: createBudget(1e9),
    maxUnadmitted: 3,
    maxHeld: 100_000,
    charge: () => {},
    now: () => 0,
  });
}

const head = (type: number, stream: number, size = 0, flags = 0) => ({ type, stream, size, flags });

/** The reason for which frames end a connection. */
function reasonOf(account: Ledger, frame: ReturnType<typeof head>, times: number): string {
  try {
    for (let i = 0; i < times; i++) account.received(frame);
  } catch (error) {
    assert.ok(error instanceof Excess);
    return error.refusal;
  }
  return "none";
}

Deno.test("frames beyond the bounds of a connection end it, with a reason", () => {
  assert.equal(reasonOf(ledger(), head(FRAME.PING, 0, 8), 2000), "none");
  assert.equal(reasonOf(ledger(), head(FRAME.PING, 0, 8), 2001), "flood");
  assert.equal(reasonOf(ledger(), head(FRAME.PING, 0, 8, FLAG.ACK), 5000), "none");
  assert.equal(reasonOf(ledger(), head(FRAME.SETTINGS, 0, 33 * 6), 1), "flood");
  assert.throws(() => ledger().decoded(4 * 1024 * 1024 + 1), /header-rate/);
  assert.equal(ledger().received(head(FRAME.GOAWAY, 0, 8)), false);
});

Deno.test("content counts until it is read, or its stream is over", () => {
  const account = ledger();
  account.received(head(FRAME.HEADERS, 1, 100));
  const empty = account.held;
  account.received(head(FRAME.DATA, 1, 16_000));
  assert.equal(account.held, empty + 16_000);
  account.read(1, 10_000);
  assert.equal(account.held, empty + 6_000);
  account.sent(head(FRAME.HEADERS, 1, 10, FLAG.END_STREAM));
  assert.equal(account.held, 0);
  account.received(head(FRAME.HEADERS, 3, 100));
  assert.equal(reasonOf(account, head(FRAME.DATA, 3, 16_000), 7), "connection-memory");
});

Deno.test("streams before admission are bounded, admitted ones are not", () => {
  const account = ledger();
  for (let i = 0; i < 4; i++) account.received(head(FRAME.HEADERS, 2 * i + 1, 100));
  assert.ok(account.isFull);
  account.admit(1);
  assert.ok(!account.isFull);
  account.received(head(FRAME.RST_STREAM, 3, 4));
  account.received(head(FRAME.HEADERS, 9, 100));
  assert.ok(!account.isFull);
});
