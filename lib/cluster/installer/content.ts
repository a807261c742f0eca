import type { OrchObject } from "../../kit/orch/mod.ts";

/** The content of an object: without the fields that the server writes about each change. Pure. */
export function contentOf(object: OrchObject): Record<string, unknown> {
  const { metadata, status: _, ...rest } = object as OrchObject & { readonly status?: unknown };
  const { managedFields: __, resourceVersion: ___, generation: ____, uid: _____, ...meta } =
    metadata;
  const { creationTimestamp: ______, ...kept } = meta;
  return { ...rest, metadata: kept };
}
