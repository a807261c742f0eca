/**
 * The case of HTTP/1 headers.
 *
 * @module
 */
import {
  type Http1ProtocolOptions_HeaderKeyFormat as KeyFormat,
  Http1ProtocolOptions_HeaderKeyFormatSchema as KeyFormatSchema,
} from "#envoy/config/core/v3/protocol_pb.ts";
import { PreserveCaseFormatterConfigSchema as PreserveCaseSchema } from "#envoy/extensions/http/header_formatters/preserve_case/v3/preserve_case_pb.ts";
import { create, packAny } from "../../../kit/proto/mod.ts";

/** Forwards headers in their original case; otherwise Envoy writes them in lower case. */
export function keepingCase(): KeyFormat {
  return create(KeyFormatSchema, {
    headerFormat: {
      case: "statefulFormatter",
      value: {
        name: "preserve_case",
        typedConfig: packAny(PreserveCaseSchema, {}),
      },
    },
  });
}
