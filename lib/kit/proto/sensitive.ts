/**
 * Fields that Envoy's protos mark as sensitive.
 *
 * @module
 */
import { type DescField, getOption } from "@bufbuild/protobuf";
import { sensitive } from "./gen/udpa/annotations/sensitive_pb.ts";

const KNOWN = new WeakMap<DescField, boolean>();

/** Reports if a field is declared sensitive (private keys, passwords). */
export function isSensitive(field: DescField): boolean {
  let known = KNOWN.get(field);
  if (known === undefined) KNOWN.set(field, known = getOption(field, sensitive));
  return known;
}
