/**
 * Cases of HTTP/2's rules: the frames that a client sends behind its preface and SETTINGS, and the
 * reaction that RFC 9113 asks for. Names begin with the section. h2spec sends most of them, too,
 * see `scripts/h2spec.ts`.
 *
 * @module
 */
import type { H2Code } from "./error.ts";
import {
  FLAG,
  FRAME,
  frame,
  goAwayFrame,
  headerFrames,
  MAX_FRAME,
  PREFACE,
  resetFrame,
  SETTING,
  settingsFrame,
  windowFrame,
} from "./frame.ts";
import { encodeHeaders } from "./hpack.ts";
import { headersOf, HELLO, join, messageOf, requestHeaders, times } from "./testing.ts";

/** Expected reaction of a case. */
export type Reaction =
  /** The connection ends with a GOAWAY of this code. */
  | { readonly goAway: H2Code }
  /** The stream is reset with this code, and the connection stays open. */
  | { readonly reset: H2Code; readonly stream?: number }
  /** No error: the connection stays open, and no stream is reset with an error. */
  | "fine"
  /** The server ends the connection without an error. */
  | "ends";

export interface Case {
  readonly name: string;
  readonly send: readonly Uint8Array[];
  readonly reaction: Reaction;
}

/** Path of the method that the server under test has: it echoes. */
export const ECHO_PATH = "/test.Echo/Stream";

const REQUEST = requestHeaders(ECHO_PATH);
const ping = frame(FRAME.PING, 0, 0, new Uint8Array(8));
const data = (stream: number, size: number, flags = 0) =>
  frame(FRAME.DATA, flags, stream, new Uint8Array(size));
const open = headersOf(1, REQUEST);
const closed = headersOf(1, REQUEST, true);
/** A stream that both sides have ended, as far as the client may know: it was reset by the client. */
const reset = [open, resetFrame(1, "CANCEL")];
const priority = (stream: number, on: number, size = 5) => {
  const payload = new Uint8Array(size);
  payload[3] = on;
  return frame(FRAME.PRIORITY, 0, stream, payload);
};
const setting = (id: number, value: number) => settingsFrame([[id, value]]);
const continuation = frame(FRAME.CONTINUATION, FLAG.END_HEADERS, 1);
const begun = frame(FRAME.HEADERS, 0, 1, encodeHeaders(REQUEST));

function connection(name: string, goAway: H2Code, ...send: Uint8Array[]): Case {
  return { name, send: [HELLO, ...send], reaction: { goAway } };
}

function stream(name: string, code: H2Code, ...send: Uint8Array[]): Case {
  return { name, send: [HELLO, ...send], reaction: { reset: code } };
}

function fine(name: string, ...send: Uint8Array[]): Case {
  return { name, send: [HELLO, ...send], reaction: "fine" };
}

/** A request with other headers. */
function request(name: string, ...headers: [string, string][]): Case {
  return stream(name, "PROTOCOL_ERROR", headersOf(1, [...REQUEST, ...headers]));
}

/** A request without a header. */
function without(name: string): Case {
  const headers = REQUEST.filter((field) => field[0] !== name);
  return stream(`8.3.1 a request without ${name}`, "PROTOCOL_ERROR", headersOf(1, headers));
}

const CONNECTION: readonly Case[] = [
  {
    name: "3.4 another protocol",
    send: [new TextEncoder().encode("GET / HTTP/1.1\r\n\r\n")],
    reaction: { goAway: "PROTOCOL_ERROR" },
  },
  { name: "3.4 no SETTINGS first", send: [PREFACE, ping], reaction: { goAway: "PROTOCOL_ERROR" } },
  connection("4.2 a frame too large", "FRAME_SIZE_ERROR", open, data(1, MAX_FRAME + 1)),
  connection(
    "4.3 a malformed header block",
    "COMPRESSION_ERROR",
    frame(FRAME.HEADERS, FLAG.END_HEADERS, 1, Uint8Array.of(0x80)),
  ),
  connection("4.3 PRIORITY within a header block", "PROTOCOL_ERROR", begun, priority(1, 0)),
  connection(
    "4.3 HEADERS of another stream within a block",
    "PROTOCOL_ERROR",
    begun,
    headersOf(3, REQUEST),
  ),
  connection("4.3 an unknown frame within a block", "PROTOCOL_ERROR", begun, frame(0xff, 0, 0)),
  connection("5.1 DATA of an idle stream", "PROTOCOL_ERROR", data(1, 1)),
  connection("5.1 RST_STREAM of an idle stream", "PROTOCOL_ERROR", resetFrame(1, "CANCEL")),
  connection("5.1 WINDOW_UPDATE of an idle stream", "PROTOCOL_ERROR", windowFrame(1, 1)),
  connection("5.1 HEADERS of a stream that was reset", "STREAM_CLOSED", ...reset, open),
  connection("5.1.1 an even stream", "PROTOCOL_ERROR", headersOf(2, REQUEST)),
  connection(
    "5.1.1 a stream lower than the last",
    "PROTOCOL_ERROR",
    headersOf(5, REQUEST),
    headersOf(3, REQUEST),
  ),
  connection("6.1 DATA of stream 0", "PROTOCOL_ERROR", data(0, 1)),
  connection(
    "6.1 more padding than payload",
    "PROTOCOL_ERROR",
    open,
    frame(FRAME.DATA, FLAG.PADDED, 1, Uint8Array.of(9, 0)),
  ),
  connection("6.2 HEADERS of stream 0", "PROTOCOL_ERROR", headersOf(0, REQUEST)),
  connection(
    "6.2 more padding than payload",
    "PROTOCOL_ERROR",
    frame(FRAME.HEADERS, FLAG.PADDED | FLAG.END_HEADERS, 1, Uint8Array.of(9, 0)),
  ),
  connection("6.3 PRIORITY of stream 0", "PROTOCOL_ERROR", priority(0, 1)),
  connection(
    "6.4 RST_STREAM of stream 0",
    "PROTOCOL_ERROR",
    frame(FRAME.RST_STREAM, 0, 0, new Uint8Array(4)),
  ),
  connection(
    "6.4 RST_STREAM of a wrong size",
    "FRAME_SIZE_ERROR",
    open,
    frame(FRAME.RST_STREAM, 0, 1, new Uint8Array(3)),
  ),
  connection(
    "6.5 SETTINGS ACK with a payload",
    "FRAME_SIZE_ERROR",
    frame(FRAME.SETTINGS, FLAG.ACK, 0, new Uint8Array(6)),
  ),
  connection("6.5 SETTINGS of a stream", "PROTOCOL_ERROR", frame(FRAME.SETTINGS, 0, 1)),
  connection(
    "6.5 SETTINGS cut off",
    "FRAME_SIZE_ERROR",
    frame(FRAME.SETTINGS, 0, 0, new Uint8Array(5)),
  ),
  connection("6.5.2 ENABLE_PUSH of 2", "PROTOCOL_ERROR", setting(SETTING.ENABLE_PUSH, 2)),
  connection(
    "6.5.2 a window too large",
    "FLOW_CONTROL_ERROR",
    setting(SETTING.INITIAL_WINDOW_SIZE, 2 ** 31),
  ),
  connection(
    "6.5.2 a frame size too small",
    "PROTOCOL_ERROR",
    setting(SETTING.MAX_FRAME_SIZE, MAX_FRAME - 1),
  ),
  connection(
    "6.5.2 a frame size too large",
    "PROTOCOL_ERROR",
    setting(SETTING.MAX_FRAME_SIZE, 2 ** 24),
  ),
  connection(
    "6.6 PUSH_PROMISE",
    "PROTOCOL_ERROR",
    open,
    frame(FRAME.PUSH_PROMISE, FLAG.END_HEADERS, 1, new Uint8Array(4)),
  ),
  connection("6.7 PING of a stream", "PROTOCOL_ERROR", frame(FRAME.PING, 0, 1, new Uint8Array(8))),
  connection(
    "6.7 PING of a wrong size",
    "FRAME_SIZE_ERROR",
    frame(FRAME.PING, 0, 0, new Uint8Array(7)),
  ),
  connection(
    "6.8 GOAWAY of a stream",
    "PROTOCOL_ERROR",
    frame(FRAME.GOAWAY, 0, 1, new Uint8Array(8)),
  ),
  connection(
    "6.8 GOAWAY too short",
    "FRAME_SIZE_ERROR",
    frame(FRAME.GOAWAY, 0, 0, new Uint8Array(7)),
  ),
  connection("6.9 WINDOW_UPDATE of 0", "PROTOCOL_ERROR", windowFrame(0, 0)),
  connection(
    "6.9 WINDOW_UPDATE of a wrong size",
    "FRAME_SIZE_ERROR",
    frame(FRAME.WINDOW_UPDATE, 0, 0, new Uint8Array(3)),
  ),
  connection(
    "6.9.1 a window beyond the largest",
    "FLOW_CONTROL_ERROR",
    ...Array(2).fill(windowFrame(0, 2 ** 31 - 1)),
  ),
  connection(
    "6.9.2 a stream's window beyond the largest",
    "FLOW_CONTROL_ERROR",
    open,
    windowFrame(1, 2 ** 31 - 1 - 65_535),
    setting(SETTING.INITIAL_WINDOW_SIZE, 65_536),
  ),
  connection("6.10 CONTINUATION without HEADERS", "PROTOCOL_ERROR", continuation),
  connection(
    "6.10 CONTINUATION of stream 0",
    "PROTOCOL_ERROR",
    begun,
    frame(FRAME.CONTINUATION, FLAG.END_HEADERS, 0),
  ),
  connection("6.10 CONTINUATION behind the end of a block", "PROTOCOL_ERROR", open, continuation),
  connection("6.10 DATA within a header block", "PROTOCOL_ERROR", begun, data(1, 1)),
];

const STREAM: readonly Case[] = [
  stream("5.1 DATA behind the end of a stream", "STREAM_CLOSED", closed, data(1, 1)),
  stream("5.1 HEADERS behind the end of a stream", "STREAM_CLOSED", closed, open),
  stream("5.1 DATA of a stream that was reset", "STREAM_CLOSED", ...reset, data(1, 1)),
  stream(
    "5.3.1 HEADERS that depend on themselves",
    "PROTOCOL_ERROR",
    frame(
      FRAME.HEADERS,
      FLAG.END_HEADERS | FLAG.PRIORITY,
      1,
      join([Uint8Array.of(0, 0, 0, 1, 16), encodeHeaders(REQUEST)]),
    ),
  ),
  stream("5.3.1 PRIORITY that depends on itself", "PROTOCOL_ERROR", open, priority(1, 1)),
  stream("6.3 PRIORITY of a wrong size", "FRAME_SIZE_ERROR", open, priority(1, 0, 4)),
  stream("6.9 WINDOW_UPDATE of 0", "PROTOCOL_ERROR", open, windowFrame(1, 0)),
  stream(
    "6.9.1 a window beyond the largest",
    "FLOW_CONTROL_ERROR",
    open,
    ...Array(2).fill(windowFrame(1, 2 ** 31 - 1)),
  ),
  stream(
    "6.9.1 more than a stream's window",
    "FLOW_CONTROL_ERROR",
    headersOf(1, requestHeaders("/test.Echo/Unread")),
    times(20, data(1, MAX_FRAME)),
  ),
  stream(
    "8.1 a second HEADERS that does not end the stream",
    "PROTOCOL_ERROR",
    open,
    headersOf(1, [["x", "y"]]),
  ),
  stream(
    "8.1 pseudo-headers in trailers",
    "PROTOCOL_ERROR",
    open,
    headersOf(1, [[":method", "POST"]], true),
  ),
  request("8.2.1 a name in upper case", ["X-Test", "1"]),
  request("8.2.1 a name with a space", ["x test", "1"]),
  request("8.2.1 an empty name", ["", "1"]),
  request("8.2.1 a value with a line break", ["x", "1\r\n2"]),
  request("8.2.1 a value with a space before it", ["x", " 1"]),
  request("8.2.2 connection", ["connection", "keep-alive"]),
  request("8.2.2 transfer-encoding", ["transfer-encoding", "chunked"]),
  request("8.2.2 te that is not trailers", ["te", "gzip"]),
  request("8.3 an unknown pseudo-header", [":test", "1"]),
  request("8.3 a pseudo-header of responses", [":status", "200"]),
  request("8.3 a pseudo-header behind a header", [":authority", "y"]),
  stream(
    "8.3 a pseudo-header twice",
    "PROTOCOL_ERROR",
    headersOf(1, [[":method", "POST"], ...REQUEST]),
  ),
  stream(
    "8.3.1 an empty path",
    "PROTOCOL_ERROR",
    headersOf(1, REQUEST.map(([name, value]) => [name, name === ":path" ? "" : value])),
  ),
  without(":method"),
  without(":scheme"),
  without(":path"),
  stream(
    "8.1.1 content longer than content-length",
    "PROTOCOL_ERROR",
    headersOf(1, [...REQUEST, ["content-length", "1"]]),
    data(1, 2, FLAG.END_STREAM),
  ),
  stream(
    "8.1.1 content shorter than content-length",
    "PROTOCOL_ERROR",
    headersOf(1, [...REQUEST, ["content-length", "3"]]),
    data(1, 2, FLAG.END_STREAM),
  ),
  stream(
    "8.1.1 no content but content-length",
    "PROTOCOL_ERROR",
    headersOf(1, [...REQUEST, ["content-length", "1"]], true),
  ),
  stream(
    "10.5.1 headers too large",
    "ENHANCE_YOUR_CALM",
    headersOf(1, [...REQUEST, ["x", "y".repeat(17_000)]]),
  ),
  stream(
    "10.5.1 too many headers",
    "ENHANCE_YOUR_CALM",
    headersOf(1, [...REQUEST, ...Array<[string, string]>(200).fill(["x", ""])]),
  ),
];

const FINE: readonly Case[] = [
  fine("4.1 an unknown frame", frame(0xff, 0xff, 0, new Uint8Array(8))),
  fine("4.1 an unknown flag", frame(FRAME.PING, 0x16, 0, new Uint8Array(8))),
  fine("5.1 PRIORITY of an idle stream", priority(3, 1)),
  fine("5.1 PRIORITY of a stream that was reset", ...reset, priority(1, 0)),
  fine(
    "5.1 WINDOW_UPDATE and RST_STREAM of a stream that was reset",
    ...reset,
    windowFrame(1, 1),
    resetFrame(1, "CANCEL"),
  ),
  fine("6.1 DATA with padding", open, frame(FRAME.DATA, FLAG.PADDED, 1, Uint8Array.of(2, 0, 0, 0))),
  fine(
    "6.2 HEADERS with padding and priority",
    frame(
      FRAME.HEADERS,
      FLAG.END_HEADERS | FLAG.PADDED | FLAG.PRIORITY,
      1,
      join([Uint8Array.of(2, 0, 0, 0, 0, 16), encodeHeaders(REQUEST), new Uint8Array(2)]),
    ),
  ),
  fine("6.5.2 an unknown setting", settingsFrame([[0xff, 1]])),
  fine("6.7 PING ACK", frame(FRAME.PING, FLAG.ACK, 0, new Uint8Array(8))),
  fine(
    "6.10 a block in several frames",
    ...headerFrames(1, encodeHeaders(REQUEST), { end: false, maxFrame: 10 }),
  ),
  fine("8.1 trailers", open, headersOf(1, [["x", "y"]], true)),
  fine(
    "8.1.1 content as long as content-length",
    headersOf(1, [...REQUEST, ["content-length", "6"]]),
    messageOf(1, Uint8Array.of(1), true),
  ),
];

const ENDS: readonly Case[] = [
  { name: "6.8 GOAWAY", send: [HELLO, goAwayFrame(0, "NO_ERROR")], reaction: "ends" },
  {
    name: "6.8 GOAWAY behind a reset",
    send: [HELLO, ...reset, goAwayFrame(0, "NO_ERROR")],
    reaction: "ends",
  },
];

/** All cases. */
export const CASES: readonly Case[] = [...CONNECTION, ...STREAM, ...FINE, ...ENDS];
