/**
 * Conversion of filters that change headers.
 *
 * @module
 */
import type { HTTPHeaderFilter, HTTPRouteFilter } from "#mesh/gateway/v1/http_route_pb.ts";
import type { HeadersSchema } from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import type { MessageInitShape } from "../../../kit/proto/mod.ts";

type Headers = MessageInitShape<typeof HeadersSchema>;

/** The filters that both kinds of routes have. */
export type AnyFilter =
  & Pick<HTTPRouteFilter, "type">
  & Partial<Omit<HTTPRouteFilter, "type" | "$typeName" | "$unknown">>;

/** Reports if a filter changes headers, which is what filters of a backend can do. */
export function changesHeaders(filter: AnyFilter): boolean {
  return filter.requestHeaderModifier !== undefined || filter.responseHeaderModifier !== undefined;
}

/** Changes of headers; undefined: none. */
export function convertHeaders(filters: readonly AnyFilter[]): Headers | undefined {
  const request = filters.find((one) => one.requestHeaderModifier)?.requestHeaderModifier;
  const response = filters.find((one) => one.responseHeaderModifier)?.responseHeaderModifier;
  if (request === undefined && response === undefined) return undefined;
  return {
    ...(request === undefined ? {} : { request: operationsOf(request) }),
    ...(response === undefined ? {} : { response: operationsOf(response) }),
  };
}

function operationsOf({ set, add, remove }: HTTPHeaderFilter) {
  const entries = (headers: readonly { readonly name: string; readonly value: string }[]) =>
    Object.fromEntries(headers.map(({ name, value }) => [name, value]));
  return { set: entries(set), add: entries(add), remove: [...remove] };
}
