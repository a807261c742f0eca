/**
 * Header operations.
 *
 * @module
 */
import {
  type HeaderValueOption,
  HeaderValueOption_HeaderAppendAction,
  HeaderValueOptionSchema,
} from "#envoy/config/core/v3/base_pb.ts";
import type { Headers } from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import { create } from "../../../kit/proto/mod.ts";

/** Header operations with the field names that routes and weighted clusters share. */
export interface HeaderOperations {
  readonly requestHeadersToAdd: HeaderValueOption[];
  readonly requestHeadersToRemove: string[];
  readonly responseHeadersToAdd: HeaderValueOption[];
  readonly responseHeadersToRemove: string[];
}

/**
 * Operations, and the authority if they set one: it needs a host rewrite instead of a header
 * operation.
 */
export interface TranslatedHeaders {
  readonly operations: HeaderOperations;
  /** `""`: unset. */
  readonly authority: string;
}

/**
 * Translates header operations. `set` replaces, `add` appends; each sorted by name, `set` first.
 * Envoy does not allow changes of pseudo headers and `host`: request operations on `host` and
 * `:authority` become {@linkcode TranslatedHeaders.authority} (`set` before `add`), all others are
 * omitted.
 */
export function translateHeaders(headers: Headers | undefined): TranslatedHeaders {
  const request = headers?.request;
  const response = headers?.response;
  return {
    operations: {
      requestHeadersToAdd: [...valueOptions(request?.set, SET), ...valueOptions(request?.add, ADD)],
      requestHeadersToRemove: changeable(request?.remove),
      responseHeadersToAdd: [
        ...valueOptions(response?.set, SET),
        ...valueOptions(response?.add, ADD),
      ],
      responseHeadersToRemove: changeable(response?.remove),
    },
    authority: authorityIn(request?.set) || authorityIn(request?.add),
  };
}

/** The number of operations. */
export function operationsOf(headers: Headers | undefined): number {
  let count = 0;
  for (const side of [headers?.request, headers?.response]) {
    if (side === undefined) continue;
    count += Object.keys(side.set).length + Object.keys(side.add).length + side.remove.length;
  }
  return count;
}

/** The operations of `a` and then those of `b`. */
export function joinHeaders(a: HeaderOperations, b: HeaderOperations): HeaderOperations {
  return {
    requestHeadersToAdd: [...a.requestHeadersToAdd, ...b.requestHeadersToAdd],
    requestHeadersToRemove: [...a.requestHeadersToRemove, ...b.requestHeadersToRemove],
    responseHeadersToAdd: [...a.responseHeadersToAdd, ...b.responseHeadersToAdd],
    responseHeadersToRemove: [...a.responseHeadersToRemove, ...b.responseHeadersToRemove],
  };
}

const SET = HeaderValueOption_HeaderAppendAction.OVERWRITE_IF_EXISTS_OR_ADD;

const ADD = HeaderValueOption_HeaderAppendAction.APPEND_IF_EXISTS_OR_ADD;

function valueOptions(
  values: Readonly<Record<string, string>> = {},
  appendAction: HeaderValueOption_HeaderAppendAction,
): HeaderValueOption[] {
  return changeable(Object.keys(values)).sort().map((key) =>
    create(HeaderValueOptionSchema, { header: { key, value: values[key]! }, appendAction })
  );
}

function changeable(names: readonly string[] = []): string[] {
  return names.filter((name) => !name.startsWith(":") && name.toLowerCase() !== "host");
}

function authorityIn(values: Readonly<Record<string, string>> = {}): string {
  for (const name of Object.keys(values).sort()) {
    const lower = name.toLowerCase();
    if (lower === "host" || lower === ":authority") return values[name]!;
  }
  return "";
}
