/**
 * The configuration that a proxy accepted on one stream.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { fromBinary, toBinary } from "../../../kit/proto/mod.ts";
import {
  type DeltaDiscoveryRequest,
  DeltaDiscoveryRequestSchema,
  type DeltaDiscoveryResponse,
  DeltaDiscoveryResponseSchema,
  ResourceSchema,
} from "#envoy/service/discovery/v3/discovery_pb.ts";
import { CHILD_TYPES, isSaved, REQUIRED_TYPES } from "./types.ts";

/** A resource as it was accepted. */
export interface SavedResource {
  readonly version: string;
  /** Encoded `Resource`; undefined: it has a private key, and is not kept. */
  readonly bytes: Uint8Array | undefined;
}

/** Resources by type URL and name. */
export type Configuration = ReadonlyMap<string, ReadonlyMap<string, SavedResource>>;

/** Reads the messages of a stream, in their order, as messages of delta. */
export interface MessageReader {
  /** A request as one or more of delta. */
  requests(message: Uint8Array): readonly DeltaDiscoveryRequest[];
  response(message: Uint8Array): DeltaDiscoveryResponse;
}

const DELTA: MessageReader = {
  requests: (message) => [fromBinary(DeltaDiscoveryRequestSchema, message)],
  response: (message) => fromBinary(DeltaDiscoveryResponseSchema, message),
};

/** State of one type on the stream. */
interface TypeState {
  readonly resources: Map<string, SavedResource>;
  /** Names that the proxy subscribed to. */
  readonly wanted: Set<string>;
  /** Names that the daemon said do not exist. */
  readonly absent: Set<string>;
  /** An answer was accepted. */
  accepted: boolean;
  /** False: the proxy has a resource that was never seen. */
  whole: boolean;
}

/** Encoded form of a private key in a resource, in any form of PEM. */
const PRIVATE_KEY = "PRIVATE KEY-----";

/** Records one stream. */
export class Recording {
  readonly #known: Configuration;
  readonly #reader: MessageReader;
  readonly #types = new Map<string, TypeState>();
  /** Responses that the proxy has not answered yet, by nonce. */
  readonly #unanswered = new Map<string, DeltaDiscoveryResponse>();
  #bytes = 0;

  /**
   * @param known configuration that the proxy may still have from an earlier stream
   * @param reader reads the messages; default: those of delta
   */
  constructor(known: Configuration, reader: MessageReader = DELTA) {
    this.#known = known;
    this.#reader = reader;
  }

  /** Size of the recorded resources, bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The accepted configuration. */
  get configuration(): Configuration {
    return new Map([...this.#types].map(([type, { resources }]) => [type, resources]));
  }

  /** Notes a request of the proxy; true: it accepts a response. */
  request(message: Uint8Array): boolean {
    const accepted = this.#reader.requests(message).map((request) => this.#request(request));
    return accepted.includes(true);
  }

  #request(request: DeltaDiscoveryRequest): boolean {
    if (!isSaved(request.typeUrl)) return false;
    const state = this.#types.get(request.typeUrl) ?? this.#begin(request);
    for (const name of request.resourceNamesSubscribe) if (name !== "*") state.wanted.add(name);
    for (const name of request.resourceNamesUnsubscribe) {
      state.wanted.delete(name);
      this.#remove(state, name);
    }
    const response = this.#unanswered.get(request.responseNonce);
    this.#unanswered.delete(request.responseNonce);
    if (response === undefined || request.errorDetail !== undefined) return false;
    this.#accept(state, response);
    return true;
  }

  /** Notes a response that the proxy is sent. */
  response(message: Uint8Array): void {
    const response = this.#reader.response(message);
    if (isSaved(response.typeUrl)) this.#unanswered.set(response.nonce, response);
  }

  /** Reports if a proxy that starts with the recorded resources has all that it asks for. */
  get isComplete(): boolean {
    return this.#unanswered.size === 0 &&
      REQUIRED_TYPES.every((type) => this.#types.get(type)?.accepted) &&
      this.#types.values().every(isWhole) && this.#hasChildren();
  }

  /** Each parent has its children, or is known to have none. */
  #hasChildren(): boolean {
    return [...CHILD_TYPES].every(([child, parent]) => {
      const children = this.#types.get(child);
      if (children === undefined) return true;
      const parents = new Set(
        [...children.resources.keys(), ...children.absent].map((name) =>
          name.slice(0, name.lastIndexOf("/"))
        ),
      );
      return [...this.#types.get(parent)?.resources.keys() ?? []].every((name) =>
        parents.has(name)
      );
    });
  }

  /** The first request of a type says what the proxy still has. */
  #begin({ typeUrl, initialResourceVersions }: DeltaDiscoveryRequest): TypeState {
    const known = this.#known.get(typeUrl);
    const state: TypeState = {
      resources: new Map(),
      wanted: new Set(),
      absent: new Set(),
      accepted: false,
      whole: true,
    };
    for (const [name, version] of Object.entries(initialResourceVersions)) {
      const resource = known?.get(name);
      if (resource?.version !== version) state.whole = false;
      else this.#put(state, name, resource);
      state.accepted = true;
    }
    this.#types.set(typeUrl, state);
    return state;
  }

  #accept(state: TypeState, { resources, removedResources }: DeltaDiscoveryResponse): void {
    state.accepted = true;
    for (const resource of resources) {
      const bytes = toBinary(ResourceSchema, resource);
      const secret = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
        .includes(PRIVATE_KEY);
      const { name, version } = resource;
      state.absent.delete(name);
      this.#put(state, name, { version, bytes: secret ? undefined : bytes });
    }
    for (const name of removedResources) {
      this.#remove(state, name);
      state.absent.add(name);
    }
  }

  #put(state: TypeState, name: string, resource: SavedResource): void {
    this.#remove(state, name);
    state.resources.set(name, resource);
    this.#bytes += resource.bytes?.length ?? 0;
  }

  #remove({ resources }: TypeState, name: string): void {
    this.#bytes -= resources.get(name)?.bytes?.length ?? 0;
    resources.delete(name);
  }
}

function isWhole({ resources, wanted, absent, whole }: TypeState): boolean {
  return whole && wanted.values().every((name) => resources.has(name) || absent.has(name));
}
