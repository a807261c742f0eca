/**
 * The case of HTTP/1 headers.
 *
 * @module
 */
import {
  type Http1ProtocolOptions_HeaderKeyFormat as KeyFormat,
  Http1ProtocolOptions_HeaderKeyFormatSchema as KeyFormatSchema,
} from "#envoy/config/core/v3/protocol_pb.ts";
import { AnySchema, create, TYPE_URL_PREFIX } from "../../proto/mod.ts";

/** Its message has no fields. */
const PRESERVE_CASE =
  "envoy.extensions.http.header_formatters.preserve_case.v3.PreserveCaseFormatterConfig";

/** Headers go on in the case they came in; Envoy writes them in lower case otherwise. */
export function keepingCase(): KeyFormat {
  return create(KeyFormatSchema, {
    headerFormat: {
      case: "statefulFormatter",
      value: {
        name: "preserve_case",
        typedConfig: create(AnySchema, { typeUrl: TYPE_URL_PREFIX + PRESERVE_CASE }),
      },
    },
  });
}
