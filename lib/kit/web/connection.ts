/**
 * One connection of a client, relayed to the runtime's HTTP server.
 *
 * @module
 */
import { sleep } from "../async/mod.ts";
import { freeBuffer } from "../base/mod.ts";
import type { ListenAddress } from "./address.ts";
import { HeadCollector, HeadScanner } from "./head.ts";

/**
 * The activity of a connection: a request is being received, a request is in progress, nothing, or
 * the server has ended its side.
 */
export type Activity = "busy" | "closing" | "idle" | "receiving";

/** Size of the buffer of each direction, bytes. */
const BUFFER = 16_384;

/** Size up to which unfinished headers are not reported to the front, bytes. */
const SMALL_HEAD = 4096;

/** Pause between two reads of what is discarded, milliseconds. */
const PAUSE_MS = 1;

/** Properties of a request that its connection depends on. */
export interface RequestTraits {
  /** The client may pause while it takes its answer. */
  readonly mayPause: boolean;
  readonly hasBody: boolean;
}

/** Operations of the front that a connection uses. */
export interface ConnectionFront {
  /** Opens a connection to the server, under whose port the server sees `connection`. */
  open(connection: Connection): Promise<Deno.TcpConn>;
  /** The server has accepted the connection that was opened last, or it was closed. */
  accepted(connection: Connection): void;
  /** Large unfinished headers have grown. */
  grown(): void;
  /** The client was refused, before the server saw its request. */
  refused(connection: Connection, reason: "headers" | "protocol"): void;
  /** The connection to the client was closed. */
  closed(connection: Connection): void;
  /** The connection to the server is over, so that its port may be used again. */
  freed(port: number): void;
}

/** One connection of a client, with its connection to the server. */
export class Connection {
  readonly peer: ListenAddress;
  activity: Activity = "receiving";
  /** The time since which the activity is as it is, monotonic milliseconds. */
  since: number = performance.now();
  /** When the piece of an answer that the client has not yet taken was begun. */
  sendingSince: number | undefined;
  /** The client may pause while it takes its answer. */
  mayPause = false;
  readonly #front: ConnectionFront;
  readonly #client: Deno.TcpConn;
  readonly #scanner = new HeadScanner();
  readonly #head = new HeadCollector(this.#scanner);
  #server: Deno.TcpConn | undefined;
  #readsBody = false;
  /** Requests that have reached their handlers. */
  #started = 0;
  /** Frees the slot of the last request. */
  #release: (() => void) | undefined;
  #held: PromiseWithResolvers<void> | undefined;
  #clientEnded = false;
  #finishing = false;
  #closed = false;

  constructor(client: Deno.TcpConn, peer: ListenAddress, front: ConnectionFront) {
    this.#client = client;
    this.peer = peer;
    this.#front = front;
  }

  /** True when the client is gone or was disconnected. */
  get isClosed(): boolean {
    return this.#closed;
  }

  /** Bytes of unfinished headers. */
  get headBytes(): number {
    return this.#head.bytes.length;
  }

  /** Relays until both connections are closed; never rejects. */
  async run(): Promise<void> {
    const buffer = new Uint8Array(BUFFER);
    let answers: Promise<void> | undefined;
    try {
      if (!await this.#readHead(buffer)) return;
      const server = await this.#front.open(this);
      this.#server = server;
      server.setNoDelay();
      this.#client.setNoDelay();
      answers = this.#relayAnswers(server);
      const head = this.#head.take();
      await writeAll(server, head);
      freeBuffer(head);
      await this.#relayRequests(server, buffer);
    } catch {
      // Either side reset its connection, or there is no descriptor for another one.
      this.close();
    }
    freeBuffer(buffer);
    await answers;
  }

  /**
   * A request of the client reached its handler. A connection is closed after a request with a body,
   * because the front does not know the ends of bodies. The server has then sent the answer to the
   * request before, although its completion may be reported later.
   */
  requestStarted({ mayPause, hasBody }: RequestTraits): void {
    this.#release?.();
    this.#release = undefined;
    this.mayPause = mayPause;
    this.#finishing ||= hasBody;
    this.#started++;
    this.#front.accepted(this);
    this.#enter("busy");
  }

  /** Sets the function that frees the slot of the request; it may be called more than once. */
  holdsSlot(release: () => void): void {
    this.#release = release;
  }

  /** The handler begins or ends to read the body of its request. */
  readsBody(reads: boolean): void {
    this.#readsBody = reads;
    this.#held?.resolve();
  }

  /** The server has sent the answer; the rest of it is still relayed. */
  requestEnded(): void {
    if (this.activity === "busy") this.#enter("idle");
    if (this.#finishing) this.#endServer();
  }

  /** Closes the connection once its request in progress is answered. */
  finish(): void {
    this.#finishing = true;
    if (this.activity === "idle") this.#endServer();
    if (this.activity === "receiving") this.close();
  }

  /**
   * Closes the connection at once. The connection to the server is closed after the server has
   * closed its side: until then no other program can have the port by which the server knows it.
   */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#held?.resolve();
    this.#head.discard();
    this.#client.close();
    this.#endServer();
    this.#front.closed(this);
  }

  #enter(activity: Activity): void {
    this.activity = activity;
    this.since = performance.now();
    this.#held?.resolve();
  }

  /** The server then ends its side after the answers that it has begun to send. */
  #endServer(): void {
    this.#server?.closeWrite().catch(() => {});
  }

  /** Reads the headers of the first request; false when there is nothing to relay. */
  async #readHead(buffer: Uint8Array<ArrayBuffer>): Promise<boolean> {
    for (;;) {
      const length = await this.#client.read(buffer);
      if (length === null) break;
      switch (this.#head.add(buffer.subarray(0, length))) {
        case "incomplete":
          if (this.headBytes > SMALL_HEAD) this.#front.grown();
          continue;
        case "complete":
          return true;
        case "foreign":
          this.#front.refused(this, "protocol");
          await this.#refuse("400 Bad Request", buffer);
          return false;
        case "too large":
          this.#front.refused(this, "headers");
          await this.#refuse("431 Request Header Fields Too Large", buffer);
          return false;
      }
    }
    this.close();
    return false;
  }

  async #refuse(status: string, buffer: Uint8Array<ArrayBuffer>): Promise<void> {
    this.#head.discard();
    this.#enter("closing");
    const head = `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`;
    await writeAll(this.#client, new TextEncoder().encode(head));
    await this.#client.closeWrite();
    await this.#discard(buffer);
  }

  /** Closing before everything was read would take the last answer away from the client. */
  async #discard(buffer: Uint8Array<ArrayBuffer>): Promise<void> {
    while (await this.#client.read(buffer) !== null) await sleep(PAUSE_MS);
    this.close();
  }

  async #relayRequests(server: Deno.TcpConn, buffer: Uint8Array<ArrayBuffer>): Promise<void> {
    for (;;) {
      const length = await this.#client.read(buffer);
      if (length === null) break;
      await this.#hold();
      if (this.activity === "closing") return await this.#discard(buffer);
      if (this.activity === "idle") this.#enter("receiving");
      if (!this.#readsBody) this.#scanner.add(buffer.subarray(0, length));
      await writeAll(server, buffer.subarray(0, length)).catch(() => {});
    }
    this.#clientEnded = true;
    if (this.activity === "closing") this.close();
    else this.#endServer();
  }

  /**
   * Waits until the server has no complete headers left and is idle, or its handler reads a body: the
   * runtime would buffer 400 KiB of further requests, and copy that at each request.
   */
  async #hold(): Promise<void> {
    while (!this.#takesMore()) {
      this.#held = Promise.withResolvers();
      await this.#held.promise;
    }
  }

  #takesMore(): boolean {
    if (this.#closed || this.activity === "closing") return true;
    if (this.activity === "busy") return this.#readsBody;
    return this.#scanner.heads <= this.#started;
  }

  /** Relays answers until the server ends its side; never rejects. */
  async #relayAnswers(server: Deno.TcpConn): Promise<void> {
    const { port } = server.localAddr;
    const buffer = new Uint8Array(BUFFER);
    try {
      for (let length = await server.read(buffer); length !== null;) {
        this.#front.accepted(this);
        if (!this.#closed) await this.#send(buffer.subarray(0, length));
        length = await server.read(buffer);
      }
      this.#enter("closing");
      if (this.#clientEnded || this.#finishing) this.close();
      else if (!this.#closed) await this.#client.closeWrite();
    } catch {
      this.close();
    } finally {
      server.close();
      freeBuffer(buffer);
      this.#front.accepted(this);
      this.#front.freed(port);
    }
  }

  /** Sends a piece of an answer; what a client does not take is discarded. */
  async #send(piece: Uint8Array): Promise<void> {
    this.sendingSince = performance.now();
    await writeAll(this.#client, piece).catch(() => this.close());
    this.sendingSince = undefined;
  }
}

export async function writeAll(connection: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
}
