/**
 * Bounds on the connections of a server: in total, before admission, before admission from one
 * address, and opened by one address in a time. Admission is the handler's decision to serve a
 * client, see `RpcCall.admit`.
 *
 * An admitted connection is bounded only by the total, so that many proxies behind one address (a
 * gateway, NAT) lose nothing.
 *
 * @module
 */
import { type Arrivals, createArrivals } from "../async/mod.ts";
import { DEFAULT_BOUNDS, type RpcBounds } from "./options.ts";
import { addressOf, type Refusal, refused } from "./refused.ts";

/** Bounds of a {@link Gate}. */
export interface GateLimits {
  readonly connections: number;
  /** Connections before admission. */
  readonly unadmitted: number;
  /** Connections before admission from one address. */
  readonly unadmittedOfAddress: number;
  /** Time that a connection may stay without a request, ms. */
  readonly requestMs: number;
}

/**
 * Part of the connections before admission from one address that it may open in each second, after
 * it opened all of them at once. Streams are admitted more slowly (`PILOT_MAX_REQUESTS_PER_SECOND`).
 */
const ARRIVALS_PART = 4;
/** Connections that an address may open at once, however few it may have before admission. */
const LEAST_BURST = 500;

/** The limits of a server's options. */
export function gateLimits(options: Partial<RpcBounds> = {}): GateLimits {
  const bounds = { ...DEFAULT_BOUNDS, ...options };
  return {
    connections: bounds.connections,
    unadmitted: bounds.unadmittedConnections,
    unadmittedOfAddress: bounds.unadmittedOfAddress,
    requestMs: bounds.requestMs,
  };
}

/** A connection behind the gate. */
export interface Visitor {
  readonly peer: string;
  /**
   * Shares work with the others of its party: all unadmitted connections of an address are one
   * party, an admitted connection is one by itself.
   */
  readonly party: object;
  /** A complete request arrived on a stream, or that stream ended. */
  requested(change: 1 | -1): void;
  /** A stream was admitted, or an admitted stream ended. */
  admitted(change: 1 | -1): void;
  /** The connection is closed. */
  left(): void;
}

/** Lets connections in. */
export interface Gate {
  /**
   * Lets a connection in; `undefined` when it is refused. `cut` ends the connection at once, and
   * leads to `left`.
   */
  enter(peer: string, cut: () => void): Visitor | undefined;
  /** Ends the gate's timer. */
  close(): void;
}

/**
 * Age from which a silent connection makes way for a new one, ms. The request of a younger one may
 * be under way.
 */
const SILENT_MS = 1000;

/** State of a connection. It is silent without a request, and unadmitted without an admitted one. */
interface Entry extends Visitor {
  readonly address: Address;
  readonly cut: () => void;
  requests: number;
  streams: number;
  silentSince: number;
  gone: boolean;
}

/** Connections of an address. */
interface Address {
  readonly name: string;
  connections: number;
  unadmitted: number;
  /** Silent connections, the oldest first. */
  readonly silent: Set<Entry>;
}

/** State of a gate. */
interface State {
  readonly limits: GateLimits;
  readonly now: () => number;
  readonly addresses: Map<string, Address>;
  readonly arrivals: Arrivals;
  connections: number;
  unadmitted: number;
  /** Silent connections, the oldest first. */
  readonly silent: Set<Entry>;
  timer: ReturnType<typeof setTimeout> | undefined;
}

/** Makes a gate. */
export function createGate(limits: GateLimits, now: () => number = () => performance.now()): Gate {
  const burst = Math.max(LEAST_BURST, limits.unadmittedOfAddress);
  const state: State = {
    limits,
    now,
    addresses: new Map(),
    arrivals: createArrivals({ burst, perSecond: burst / ARRIVALS_PART }, now),
    connections: 0,
    unadmitted: 0,
    silent: new Set(),
    timer: undefined,
  };
  return {
    enter: (peer, cut) => enter(state, peer, cut),
    close: () => clearTimeout(state.timer),
  };
}

function enter(state: State, peer: string, cut: () => void): Visitor | undefined {
  const name = addressOf(peer);
  if (!state.arrivals.take(name)) return void refused("connection-rate", peer);
  const address = state.addresses.get(name) ??
    { name, connections: 0, unadmitted: 0, silent: new Set<Entry>() };
  const reason = reasonAgainst(state, address);
  if (reason) return void refused(reason, peer);
  const entry: Entry = {
    peer,
    address,
    cut,
    requests: 0,
    streams: 0,
    silentSince: 0,
    gone: false,
    get party() {
      return entry.streams > 0 ? entry : address;
    },
    requested: (change) => requested(state, entry, change),
    admitted: (change) => admitted(state, entry, change),
    left: () => left(state, entry),
  };
  state.addresses.set(name, address);
  state.connections++;
  address.connections++;
  countUnadmitted(state, entry, 1);
  becomeSilent(state, entry);
  return entry;
}

/** The bound that a new connection would break, after a silent one made way for it. */
function reasonAgainst(state: State, address: Address): Refusal | undefined {
  const { limits, silent } = state;
  if (address.unadmitted >= limits.unadmittedOfAddress) {
    if (!makeWay(state, address.silent, "address-connections")) return "address-connections";
  }
  if (state.unadmitted >= limits.unadmitted) {
    if (!makeWay(state, silent, "unadmitted-connections")) return "unadmitted-connections";
  }
  if (state.connections >= limits.connections) {
    if (!makeWay(state, silent, "connections")) return "connections";
  }
  return undefined;
}

/** Cuts the connection that has been silent longest. */
function makeWay(state: State, silent: ReadonlySet<Entry>, reason: Refusal): boolean {
  const [oldest] = silent;
  if (!oldest || state.now() - oldest.silentSince < SILENT_MS) return false;
  cutOff(state, oldest, reason);
  return true;
}

function cutOff(state: State, entry: Entry, reason: Refusal): void {
  refused(reason, entry.peer);
  // Its place is free now, however long its socket takes to close.
  left(state, entry);
  entry.cut();
}

function requested(state: State, entry: Entry, change: 1 | -1): void {
  if (entry.gone) return;
  entry.requests += change;
  changed(state, entry);
}

function admitted(state: State, entry: Entry, change: 1 | -1): void {
  if (entry.gone) return;
  entry.streams += change;
  if (change === 1 && entry.streams === 1) countUnadmitted(state, entry, -1);
  if (change === -1 && entry.streams === 0) countUnadmitted(state, entry, 1);
  changed(state, entry);
}

function changed(state: State, entry: Entry): void {
  const isSilent = entry.requests === 0 && entry.streams === 0;
  if (isSilent === state.silent.has(entry)) return;
  if (isSilent) becomeSilent(state, entry);
  else endSilence(state, entry);
}

function countUnadmitted(state: State, { address }: Entry, change: 1 | -1): void {
  state.unadmitted += change;
  address.unadmitted += change;
}

function becomeSilent(state: State, entry: Entry): void {
  entry.silentSince = state.now();
  entry.address.silent.add(entry);
  state.silent.add(entry);
  watch(state, state.limits.requestMs);
}

function endSilence(state: State, entry: Entry): void {
  entry.address.silent.delete(entry);
  state.silent.delete(entry);
}

function left(state: State, entry: Entry): void {
  if (entry.gone) return;
  entry.gone = true;
  const { address } = entry;
  state.connections--;
  address.connections--;
  endSilence(state, entry);
  if (entry.streams === 0) countUnadmitted(state, entry, -1);
  if (address.connections === 0) state.addresses.delete(address.name);
}

/** Cuts connections that stay silent for too long. */
function watch(state: State, wait: number): void {
  if (state.timer !== undefined) return;
  state.timer = setTimeout(() => {
    state.timer = undefined;
    for (const entry of state.silent) {
      const left = entry.silentSince + state.limits.requestMs - state.now();
      if (left > 0) return watch(state, left);
      cutOff(state, entry, "no-request");
    }
  }, wait);
}
