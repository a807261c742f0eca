/**
 * Slots bound the requests of a listener that are in progress, and the memory of their answers. A
 * request holds a slot from its headers until the runtime has delivered its answer.
 *
 * @module
 */

/** Bounds of the slots. */
export interface SlotLimits {
  /** Requests in progress at one time. */
  readonly maxRequests: number;
  /** Bytes of answers that wait for their clients, of all requests together. */
  readonly maxPendingBytes: number;
  /** Time in which a client must take a piece of its answer, unless it may pause; milliseconds. */
  readonly stallTimeoutMs: number;
  /** Time in which a client must take its whole answer, milliseconds. */
  readonly sendTimeoutMs: number;
}

/** Options of the slots of a listener. */
export interface SlotsOptions {
  readonly limits: SlotLimits;
  /** Monotonic milliseconds. */
  now(): number;
  /** Memory of the process, bytes. */
  memory(): number;
  /** A client does not take its answer, for the runtime holds on to one that was ended. */
  onStalled(): void;
}

/** The slot of one request. */
export interface Slot {
  /**
   * Starts the time limits of sending.
   *
   * @param end ends the answer with an error
   * @param mayPause whether the limit for one piece does not apply
   */
  startSending(end: (reason: DOMException) => void, mayPause: boolean): void;
  /** Sets how many bytes of the answer are in memory. False when there is no room for them. */
  hold(bytes: number): boolean;
  /** The client took a piece of the answer. */
  progress(): void;
  /** Frees the slot; a second call does nothing. */
  release(): void;
}

/** The slots of a listener. */
export interface Slots {
  /** A slot for a new request; `undefined` when all are taken. */
  enter(): Slot | undefined;
  /** Resolves once no request is in progress. */
  idle(): Promise<void>;
}

/** Time between two checks of the answers that are being sent, milliseconds. */
const CHECK_EVERY_MS = 250;
/**
 * A client that takes nothing for so long loses its answer when others need its slot, or when the
 * process grows meanwhile; milliseconds.
 */
const YIELDS_AFTER_MS = 200;
/** Such a growth, bytes: the runtime stores empty HTTP/2 frames of an open request without bound. */
const MAX_GROWTH = 64 << 20;

/** Makes the slots of a listener. */
export function createSlots(options: SlotsOptions): Slots {
  return new RequestSlots(options);
}

class RequestSlots implements Slots {
  readonly #options: SlotsOptions;
  readonly #taken = new Set<RequestSlot>();
  readonly #waiting: (() => void)[] = [];
  #checking: ReturnType<typeof setInterval> | undefined;

  constructor(options: SlotsOptions) {
    this.#options = options;
  }

  enter(): Slot | undefined {
    const { limits, now } = this.#options;
    if (this.#taken.size >= limits.maxRequests) {
      this.#endStalled();
      return undefined;
    }
    const slot = new RequestSlot(this, limits, now);
    this.#taken.add(slot);
    return slot;
  }

  idle(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#taken.size === 0) resolve();
      else this.#waiting.push(resolve);
    });
  }

  /** Reserves memory for a response in addition to others; a single response always fits. */
  makeRoom(bytes: number, slot: RequestSlot): boolean {
    const others = () => this.#taken.values().reduce((sum, each) => sum + each.bytes, -slot.bytes);
    const fits = () => others() <= 0 || others() + bytes <= this.#options.limits.maxPendingBytes;
    if (!fits()) this.#endStalled();
    return fits();
  }

  startedSending(): void {
    this.#checking ??= setInterval(() => this.#check(), CHECK_EVERY_MS);
  }

  released(slot: RequestSlot): void {
    if (!this.#taken.delete(slot) || this.#taken.size > 0) return;
    clearInterval(this.#checking);
    this.#checking = undefined;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** Ends the answers whose clients take nothing, because others need their place. */
  #endStalled(): void {
    for (const slot of this.#taken) if (slot.stalledFor() > YIELDS_AFTER_MS) slot.end();
  }

  #check(): void {
    const memory = this.#options.memory();
    // The runtime notices the end of an answer only when its client takes what was sent before.
    const isStuck = this.#taken.values().some((slot) => slot.isEnded);
    for (const slot of this.#taken) if (slot.isLate(memory)) slot.end();
    if (isStuck) this.#options.onStalled();
  }
}

class RequestSlot implements Slot {
  /** Bytes of the answer in memory. */
  bytes = 0;
  /** The answer was ended before it was delivered. */
  isEnded = false;
  readonly #slots: RequestSlots;
  readonly #limits: SlotLimits;
  readonly #now: () => number;
  #end: ((reason: DOMException) => void) | undefined;
  #mayPause = false;
  #startedAt = 0;
  /** When the client last took something; meaningful while sending. */
  #progressAt = 0;
  /** Memory of the process at the first check after that, bytes. */
  #memoryThen: number | undefined;

  constructor(slots: RequestSlots, limits: SlotLimits, now: () => number) {
    this.#slots = slots;
    this.#limits = limits;
    this.#now = now;
  }

  startSending(end: (reason: DOMException) => void, mayPause: boolean): void {
    this.#end = end;
    this.#mayPause = mayPause;
    this.#startedAt = this.#now();
    this.progress();
    this.#slots.startedSending();
  }

  hold(bytes: number): boolean {
    if (!this.#slots.makeRoom(bytes, this)) return false;
    this.bytes = bytes;
    return true;
  }

  progress(): void {
    this.#progressAt = this.#now();
    this.#memoryThen = undefined;
  }

  /** Time since the client last took something; 0 unless an answer is being sent. */
  stalledFor(): number {
    return this.#end === undefined ? 0 : this.#now() - this.#progressAt;
  }

  /** True when the client does not take its answer in time. */
  isLate(memory: number): boolean {
    if (this.#end === undefined) return false;
    this.#memoryThen ??= memory;
    const { sendTimeoutMs, stallTimeoutMs } = this.#limits;
    return this.#now() - this.#startedAt > sendTimeoutMs ||
      !this.#mayPause && this.stalledFor() > stallTimeoutMs ||
      this.stalledFor() > YIELDS_AFTER_MS && memory - this.#memoryThen > MAX_GROWTH;
  }

  /** Ends the answer with an error. */
  end(): void {
    const end = this.#end;
    if (end === undefined) return;
    this.#end = undefined;
    this.bytes = 0;
    this.isEnded = true;
    end(new DOMException("the client did not take its answer in time", "TimeoutError"));
  }

  release(): void {
    this.#end = undefined;
    this.bytes = 0;
    this.#slots.released(this);
  }
}
