/**
 * Codec of input rows: messages in protobuf JSON, other values unchanged.
 *
 * @module
 */
import type { ConfigObject } from "../../mesh/model/mod.ts";
import {
  type DescMessage,
  fromJson,
  type JsonValue,
  type Message,
  toJson,
} from "../../kit/proto/mod.ts";
import { KINDS } from "../../mesh/schema/mod.ts";
import { MeshConfigSchema } from "#mesh/mesh/v1alpha1/config_pb.ts";
import { MeshNetworksSchema } from "#mesh/mesh/v1alpha1/network_pb.ts";

/** Codec of the rows of a table. */
export interface Codec {
  readonly encode: (row: unknown) => unknown;
  readonly decode: (json: unknown) => unknown;
}

const PLAIN: Codec = { encode: (row) => row, decode: (json) => json };

/** The codec of a table: a kind, the mesh configuration, or plain data. */
export function codecOf(table: string): Codec {
  if (table === "MeshConfig") return message(MeshConfigSchema);
  if (table === "MeshNetworks") return message(MeshNetworksSchema);
  const kind = KINDS.find((one) => one.kind === table);
  return kind !== undefined ? object(message(kind.schema)) : PLAIN;
}

function message(schema: DescMessage): Codec {
  return {
    encode: (row) => toJson(schema, row as Message),
    decode: (json) => fromJson(schema, json as JsonValue),
  };
}

function object(spec: Codec): Codec {
  return {
    encode: (row) => ({ ...row as ConfigObject, spec: spec.encode((row as ConfigObject).spec) }),
    decode: (json) => ({ ...json as ConfigObject, spec: spec.decode((json as ConfigObject).spec) }),
  };
}
