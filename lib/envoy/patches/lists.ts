/**
 * Patches of things that stand in a list.
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
} from "../../proto/mod.ts";
import { mergeRule, type Patch } from "./change.ts";

/** How a list is patched. */
export interface ListEdit<D extends DescMessage> {
  readonly schema: D;
  /** The items that the patch names. */
  readonly matches: (item: MessageShape<D>) => boolean;
  /** Whether it names any: what it does not name it is not put beside. */
  readonly names: boolean;
  /** Where an item that is added goes; default: the end. */
  readonly end?: (list: readonly MessageShape<D>[]) => number;
}

/** Does to a list what a patch says; returns whether that was anything. */
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
  const at = placeOf(list, operation, edit);
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

/** Where a new item goes; `undefined`: what it is to stand beside is not there. */
function placeOf<D extends DescMessage>(
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
