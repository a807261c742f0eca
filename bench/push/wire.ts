/**
 * As much of the xDS wire as a measuring client needs: it counts, it does not
 * understand. Field numbers are those of `envoy.service.discovery.v3`.
 *
 * @module
 */

/** A response, reduced. */
export interface Response {
  readonly typeUrl: string;
  readonly nonce: string;
  readonly version: string;
  /** Names and versions of the resources (delta). */
  readonly resources: readonly (readonly [name: string, version: string])[];
  /** How many resources there were, in both variants. */
  readonly count: number;
  readonly removed: readonly string[];
  /** Whether a route table in it has its virtual hosts apart (delta). */
  readonly apart: boolean;
}

const text = new TextDecoder();

/** Walks the fields of a message: number, and the bytes of length-delimited ones. */
function* fields(b: Uint8Array): Generator<[number, Uint8Array]> {
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 1;; shift *= 128) {
      const byte = b[at++]!;
      value += (byte & 127) * shift;
      if (byte < 128) return value;
    }
  };
  while (at < b.length) {
    const tag = varint();
    const kind = tag & 7;
    if (kind === 2) {
      const length = varint();
      yield [tag >> 3, b.subarray(at, at + length)];
      at += length;
    } else if (kind === 0) varint();
    else at += kind === 1 ? 8 : 4;
  }
}

/** Reads a DeltaDiscoveryResponse. */
export function readDelta(bytes: Uint8Array): Response {
  const resources: [string, string][] = [];
  const removed: string[] = [];
  let [typeUrl, nonce, apart] = ["", "", false];
  for (const [field, value] of fields(bytes)) {
    if (field === 2) {
      let [name, version] = ["", ""];
      for (const [f, v] of fields(value)) {
        if (f === 3) name = text.decode(v);
        else if (f === 1) version = text.decode(v);
        else if (f === 2) apart ||= hasVirtualHostsApart(v);
      }
      resources.push([name, version]);
    } else if (field === 4) typeUrl = text.decode(value);
    else if (field === 5) nonce = text.decode(value);
    else if (field === 6) removed.push(text.decode(value));
  }
  return { typeUrl, nonce, version: "", resources, count: resources.length, removed, apart };
}

/** Field `vhds` of `RouteConfiguration`. */
const VHDS = 9;
const ROUTE_TYPE = "type.googleapis.com/envoy.config.route.v3.RouteConfiguration";

/** Whether an `Any` is a route table that says where its virtual hosts come from. */
function hasVirtualHostsApart(any: Uint8Array): boolean {
  let typeUrl = "";
  for (const [field, value] of fields(any)) {
    if (field === 1) typeUrl = text.decode(value);
    if (field !== 2 || typeUrl !== ROUTE_TYPE) continue;
    for (const [inner] of fields(value)) if (inner === VHDS) return true;
  }
  return false;
}

/** Reads a DiscoveryResponse; names of resources only for clusters and listeners, which carry them first. */
export function readSotw(bytes: Uint8Array): Response {
  const resources: [string, string][] = [];
  let [typeUrl, nonce, version, count] = ["", "", "", 0];
  for (const [field, value] of fields(bytes)) {
    if (field === 2) {
      count++;
      for (const [f, v] of fields(value)) {
        if (f !== 2) continue;
        for (const [inner, name] of fields(v)) {
          if (inner !== 1) continue;
          resources.push([text.decode(name), ""]);
          break;
        }
      }
    } else if (field === 4) typeUrl = text.decode(value);
    else if (field === 5) nonce = text.decode(value);
    else if (field === 1) version = text.decode(value);
  }
  return { typeUrl, nonce, version, resources, count, removed: [], apart: false };
}
