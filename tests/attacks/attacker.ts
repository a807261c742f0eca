/**
 * The attacker's process: runs the attack that it is sent the name of, until it is killed. A thread of
 * the test's process would not do: once, the runtime blocked two tests for ever that started and
 * terminated threads at the same time.
 *
 * @module
 */
import process from "node:process";
import { FRAME_ATTACKS } from "./frame_attacks.ts";
import { HTTP_ATTACKS } from "./http_attacks.ts";
import { STREAM_ATTACKS } from "./stream_attacks.ts";
import type { Counts, Scene } from "./wire.ts";

/** Message to the process. */
export interface Order {
  readonly attack: string;
  readonly port: number;
  /** Time of the attack, counted from when it is under way, ms. */
  readonly ms: number;
}

/** Messages of the process: first that the attack is running, then that it has ended. */
export type Word =
  | { readonly kind: "begun" }
  | { readonly kind: "over"; readonly counts: Counts }
  | { readonly kind: "failed"; readonly reason: string };

/** Time an attack may take to be under way, ms. */
const PREPARATION_MS = 30_000;

const ATTACKS = { ...FRAME_ATTACKS, ...STREAM_ATTACKS, ...HTTP_ATTACKS };
const say = (word: Word) => void process.send!(word);

async function run({ attack, port, ms }: Order): Promise<void> {
  const counts: Counts = { bytes: 0, connections: 0, ended: 0 };
  const end = Promise.withResolvers<void>();
  let until = performance.now() + PREPARATION_MS;
  let timer = setTimeout(end.resolve, PREPARATION_MS);
  let begun = false;
  const scene: Scene = {
    port,
    counts,
    end: end.promise,
    over: () => performance.now() >= until,
    begun() {
      if (begun) return;
      begun = true;
      clearTimeout(timer);
      until = performance.now() + ms;
      timer = setTimeout(end.resolve, ms);
      say({ kind: "begun" });
    },
  };
  try {
    await ATTACKS[attack]!(scene);
    if (!begun) throw new Error(`the attack never got under way: ${JSON.stringify(counts)}`);
    say({ kind: "over", counts });
  } catch (error) {
    say({ kind: "failed", reason: String(error) });
  }
}

// Connections that the daemon does not read from would keep the process when the test is gone.
process.once("disconnect", () => process.exit());

process.once("message", (order: Order) => void run(order));
