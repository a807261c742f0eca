/**
 * Messages between the agent and node proxies. Pure.
 *
 * @module
 */
import { create, fromBinary, type MessageInitShape, toBinary } from "../../../kit/proto/mod.ts";
import {
  Version,
  WorkloadRequestSchema,
  WorkloadResponseSchema,
  ZdsHelloSchema,
} from "#mesh/workload/zds/zds_pb.ts";

/** The facts about a pod that a node proxy needs. */
export interface WorkloadInfo {
  readonly name: string;
  readonly namespace: string;
  readonly serviceAccount: string;
}

type Payload = NonNullable<MessageInitShape<typeof WorkloadRequestSchema>["payload"]>;

function request(payload: Payload): Uint8Array {
  return toBinary(WorkloadRequestSchema, create(WorkloadRequestSchema, { payload }));
}

/** A pod; the descriptor of its network namespace goes beside. */
export function addMessage(uid: string, workloadInfo: WorkloadInfo): Uint8Array {
  return request({ case: "add", value: { uid, workloadInfo: { ...workloadInfo } } });
}

/** A pod that is there, whose network namespace is not known now. */
export function keepMessage(uid: string): Uint8Array {
  return request({ case: "keep", value: { uid } });
}

/** A pod that is no longer of the mesh. */
export function delMessage(uid: string): Uint8Array {
  return request({ case: "del", value: { uid } });
}

/** The end of the first pods; the node proxy gives up others that it has. */
export function snapshotSentMessage(): Uint8Array {
  return request({ case: "snapshotSent", value: {} });
}

/** Reads the first message of a node proxy; `undefined`: it is none, or of another version. */
export function isHello(data: Uint8Array): boolean {
  try {
    return fromBinary(ZdsHelloSchema, data).version === Version.V1;
  } catch {
    return false;
  }
}

/** Reads an answer: the error that it names, empty for none; `undefined`: it is no answer. */
export function ackError(data: Uint8Array): string | undefined {
  try {
    const { payload } = fromBinary(WorkloadResponseSchema, data);
    return payload.case === "ack" ? payload.value.error : undefined;
  } catch {
    return undefined;
  }
}
