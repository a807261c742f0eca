/**
 * The connections of a server over the library: their shares and bounds, which are those of Mesh's
 * HTTP/2.
 *
 * @module
 */
import type { Socket } from "node:net";
import { createBudget, type Holder } from "../budget.ts";
import { createGate, gateLimits, type Visitor } from "../gate.ts";
import { peerOf } from "../listen.ts";
import { DEFAULT_BOUNDS, type RpcOptions } from "../options.ts";
import { refused } from "../refused.ts";
import { createTurns } from "../turns.ts";
import { FilteredSocket } from "./filtered_socket.ts";
import { Ledger } from "./ledger.ts";

/** Time that reading from all connections takes in a round of the event loop, ms. */
const READ_MS = 3;
/** Time that reading from one connection takes before it is another one's turn, ms. */
const TURN_MS = 0.5;
/** Limit of the input in memory for one connection: bytes, or messages if these are larger. */
const MAX_HELD = 16 * 1024 * 1024;
const MAX_HELD_MESSAGES = 4;
/** Messages that the memory of all connections must have room for. */
const MIN_MESSAGES = 8;

/** Connections of a server. */
export interface Connections {
  /** Takes a connection, or refuses it. */
  accept(socket: Socket): void;
  /** Ends all connections at once. */
  destroy(): void;
  /** Ends the timers. */
  close(): void;
}

/** Makes the connections of a server; `begin` gives one to the library. */
export function openConnections(
  { limits, bounds: given }: RpcOptions,
  begin: (filtered: FilteredSocket) => void,
): Connections {
  const bounds = { ...DEFAULT_BOUNDS, ...given };
  const gate = createGate(gateLimits(bounds));
  const budget = createBudget(Math.max(bounds.memory, MIN_MESSAGES * limits.maxReceive));
  const sockets = new Set<FilteredSocket>();
  /** Time of the library that its turns did not see, ms. */
  let charged = 0;
  const turns = createTurns({
    roundMs: READ_MS,
    turnMs: TURN_MS,
    now: () => performance.now() + charged,
  });
  return {
    accept(socket) {
      const name = peerOf(socket);
      const visitor = gate.enter(name, () => filtered.destroy());
      if (!visitor) return void socket.destroy();
      socket.setNoDelay(true);
      const ledger = new Ledger({
        visitor,
        budget,
        maxUnadmitted: bounds.unadmittedStreams,
        maxHeld: Math.max(MAX_HELD, MAX_HELD_MESSAGES * limits.maxReceive),
        charge: (ms) => void (charged += ms),
        now: () => performance.now(),
      });
      const filtered: FilteredSocket = new FilteredSocket({
        socket,
        ledger,
        turns,
        begin,
        party: () => visitor.party,
        refused: (reason) => refused(reason, name),
      });
      const holder = holderOf(visitor, ledger, () => {
        refused("memory", name);
        filtered.destroy();
      });
      budget.join(holder);
      sockets.add(filtered);
      filtered.once("close", () => {
        sockets.delete(filtered);
        budget.leave(holder);
        visitor.left();
      });
    },
    destroy: () => {
      for (const filtered of sockets) filtered.destroy();
    },
    close: gate.close,
  };
}

/** A connection as the budget of memory sees it. */
function holderOf(visitor: Visitor, ledger: Ledger, cut: () => void): Holder {
  return {
    get party() {
      return visitor.party;
    },
    get held() {
      return ledger.held;
    },
    cut,
  };
}
