/**
 * The proxy's node as the message of discovery requests.
 *
 * @module
 */
import { fromJsonString } from "../../kit/proto/mod.ts";
import { type Node, NodeSchema } from "#envoy/config/core/v3/base_pb.ts";
import type { BootstrapNode } from "./node.ts";

export function nodeMessage(node: BootstrapNode): Node {
  return fromJsonString(NodeSchema, JSON.stringify(node));
}
