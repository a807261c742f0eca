/**
 * Patches of list items.
 *
 * @module
 */
import { DataproxyFilter_Patch_Operation as Operation } from "#mesh/networking/v1alpha3/dataproxy_filter_pb.ts";
import {
  clone,
  type DescMessage,
  mergeInto,
  type Message,
  type MessageShape,
} from "../../../kit/proto/mod.ts";
import { mergeRule, type Patch } from "./change.ts";

/** Settings of a list patch. */
export interface ListEdit<D extends DescMessage> {
  readonly schema: D;
  /** Selects the items that the patch matches. */
  readonly matches: (item: MessageShape<D>) => boolean;
  /** True: the patch has a match. Without a match, INSERT operations have no anchor. */
  readonly names: boolean;
  /** Index at which an item is added; default: the end. */
  readonly end?: (list: readonly MessageShape<D>[]) => number;
}

/** Applies a patch to a list; returns if something changed. */
export function patchList<D extends DescMessage>(
  list: MessageShape<D>[],
  { operation, value }: Pick<Patch, "operation" | "value">,
  edit: ListEdit<D>,
): boolean {
  const { schema, matches, names } = edit;
  const lists = mergeRule(operation);
  if (lists !== undefined && value !== undefined) {
    const chosen = list.filter(matches);
    for (const item of chosen) mergeInto(schema, item, value as MessageShape<D>, lists);
    return chosen.length > 0;
  }
  if (operation === Operation.REMOVE) {
    const kept = list.filter((item) => !matches(item));
    const removed = list.length - kept.length;
    list.splice(0, list.length, ...kept);
    return removed > 0;
  }
  const at = indexFor(list, operation, edit);
  if (at === undefined || value === undefined) return false;
  const item = clone(schema, value as Message as MessageShape<D>);
  if (operation !== Operation.REPLACE) list.splice(at, 0, item);
  else {
    list.forEach((one, i) => {
      if (names && matches(one)) list[i] = clone(schema, item);
    });
  }
  return true;
}

/** Returns the index of a new item; `undefined`: its anchor is missing. */
function indexFor<D extends DescMessage>(
  list: readonly MessageShape<D>[],
  operation: Operation,
  { matches, names, end }: ListEdit<D>,
): number | undefined {
  const last = (): number => end?.(list) ?? list.length;
  const found = names ? list.findIndex(matches) : -1;
  switch (operation) {
    case Operation.ADD:
      return last();
    case Operation.INSERT_FIRST:
      return 0;
    case Operation.INSERT_BEFORE:
      return names ? (found < 0 ? undefined : found) : 0;
    case Operation.INSERT_AFTER:
      return names ? (found < 0 ? undefined : found + 1) : last();
    case Operation.REPLACE:
      return found < 0 ? undefined : found;
    default:
      return undefined;
  }
}
