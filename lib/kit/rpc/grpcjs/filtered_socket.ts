/**
 * A client's connection as the library gets it: bounded, in turns with all others, and without GOAWAY
 * frames of the client.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { freeBuffer } from "../../base/mod.ts";
import { H2Error } from "../h2/error.ts";
import { goAwayFrame } from "../h2/frame.ts";
import { certificatesOf, isSecure } from "../listen.ts";
import type { Refusal } from "../refused.ts";
import type { Task, Turns } from "../turns.ts";
import { Excess } from "./excess.ts";
import { frameInspector, type Inspector } from "./inspect.ts";
import { HeaderLimits } from "./header_limits.ts";
import type { Ledger } from "./ledger.ts";

/** Bytes that are passed on in one piece. */
const PIECE = 16 * 1024;

export interface FilteredSocketOptions {
  readonly socket: Socket;
  readonly ledger: Ledger;
  readonly turns: Turns;
  /** Shares its turns with the others of its party, see `Visitor.party`. */
  readonly party: () => object;
  /** Gives the connection to the library, once the client said something. */
  readonly begin: (filtered: FilteredSocket) => void;
  /** The client is refused something, and its connection ends. */
  readonly refused: (reason: Refusal) => void;
}

/**
 * A connection for the library. GOAWAY frames of the client are left out, because the HTTP/2 of
 * Deno 2.9.6 ends the process when clients reset streams and then send GOAWAY (denoland/deno#36788).
 * Such a frame tells a server nothing that it needs: it opens no streams itself, and the client closes
 * the connection.
 */
export class FilteredSocket extends Duplex {
  readonly #options: FilteredSocketOptions;
  readonly #limits: HeaderLimits;
  readonly #input: Inspector;
  readonly #output: Inspector;
  /** Bytes that wait to be passed on. */
  #waiting = 0;
  #counted = 0;
  /** The library takes no more for now. */
  #blocked = false;
  #begun = false;
  #queued = false;
  #task: Task;
  /** For the library, which asks its socket for them. */
  readonly remoteAddress: string | undefined;
  readonly remotePort: number | undefined;
  /** The filtered socket of a connection, for calls that have only the library's object of the connection. */
  readonly filtered: FilteredSocket = this;
  readonly ledger: Ledger;
  /** See `RpcCall.certificates`. */
  readonly certificates: readonly Uint8Array[] | undefined;
  /** See `RpcCall.secure`. */
  readonly secure: boolean;

  constructor(options: FilteredSocketOptions) {
    super({ allowHalfOpen: true });
    const { socket, ledger, party } = options;
    this.#options = options;
    this.ledger = ledger;
    this.remoteAddress = socket.remoteAddress;
    this.remotePort = socket.remotePort;
    this.certificates = certificatesOf(socket);
    this.secure = isSecure(socket);
    this.#limits = new HeaderLimits((bytes) => ledger.decoded(bytes));
    this.#input = frameInspector({ preface: true, owns: true }, (head) => {
      this.#limits.begin(head);
      return ledger.received(head);
    });
    this.#output = frameInspector({ preface: false }, (head) => ledger.sent(head));
    this.#task = {
      get party() {
        return party();
      },
      run: (expired) => this.#run(expired),
    };
    socket.on("data", (bytes: Buffer) => this.#take(bytes));
    socket.on("end", () => this.push(null));
    socket.on("error", () => this.destroy());
    socket.on("close", () => this.destroy());
  }

  /** Counts that the client was refused something. */
  refused(reason: Refusal): void {
    this.#options.refused(reason);
  }

  #take(bytes: Buffer): void {
    if (this.destroyed) return freeBuffer(bytes);
    this.#input.push(bytes);
    this.#waiting += bytes.length;
    this.#count();
    this.#goOn();
    if (this.#waiting > 0) this.#options.socket.pause();
  }

  #goOn(): void {
    if (this.#queued || this.#blocked || this.destroyed) return;
    this.#queued = true;
    this.#options.turns.add(this.#task);
  }

  /** Passes on what a turn has time for. Returns whether there is more. */
  #run(expired: () => boolean): boolean {
    this.#queued = false;
    if (this.destroyed) return false;
    if (!this.#begun) {
      this.#begun = true;
      this.ledger.begin();
      this.#options.begin(this);
    }
    const pieces: Uint8Array[] = [];
    let size = 0;
    let late = false;
    try {
      for (let piece; !late && size < PIECE && (piece = this.#input.next());) {
        pieces.push(...this.#limits.pass(piece));
        size += piece.length;
        late = expired();
      }
    } catch (error) {
      this.#end(error as Error);
      return false;
    }
    return this.#pass(pieces);
  }

  #pass(pieces: Uint8Array[]): boolean {
    this.#waiting = this.#input.buffered;
    this.#count();
    this.#blocked = pieces.length > 0 && !this.push(Buffer.concat(pieces));
    this.#input.release();
    if (this.#waiting > 0 && !this.#blocked) return this.#queued = !this.destroyed;
    if (this.#waiting === 0) this.#options.socket.resume();
    return false;
  }

  /** Counts bytes that wait, and those of a header block that is not complete. */
  #count(): void {
    const before = this.#counted;
    this.#counted = this.#waiting + this.#limits.held;
    this.ledger.wait(this.#counted - before);
  }

  /** Ends the connection of a client that is beyond a bound. */
  #end(error: Error): void {
    if (error instanceof Excess || error instanceof H2Error) this.refused(error.refusal);
    this.#options.socket.write(goAwayFrame(this.ledger.last, "ENHANCE_YOUR_CALM"));
    this.destroy();
  }

  override _read(): void {
    this.#blocked = false;
    if (this.#waiting > 0) this.#goOn();
  }

  override _write(
    bytes: Uint8Array,
    _encoding: string,
    done: (error?: Error | null) => void,
  ): void {
    this.#output.push(bytes);
    while (this.#output.next());
    this.#options.socket.write(bytes, done);
  }

  override _final(done: () => void): void {
    this.#options.socket.end(done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#waiting = 0;
    this.ledger.wait(-this.#counted);
    this.ledger.close();
    this.#options.socket.destroySoon();
    done(error);
  }
}
