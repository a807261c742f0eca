/**
 * Random steps of the law's tests. Used by tests only.
 *
 * @module
 */
import fc from "fast-check";
import { GROUPS, LISTS, type Thing, THINGS } from "./world.ts";

/** A row that is written, or goes. */
export type Edit =
  | { readonly table: "things"; readonly key: string; readonly row: Thing | undefined }
  | { readonly table: "lists"; readonly key: string; readonly row: readonly string[] | undefined };

/** One thing that is done to a graph, or asked of it. */
export type Step =
  | { readonly do: "edit"; readonly edits: readonly Edit[] }
  | { readonly do: "publish"; readonly check: number }
  | { readonly do: "peek"; readonly table: number; readonly key: string }
  | { readonly do: "read" | "hold" | "drop"; readonly which: number }
  | { readonly do: "warm"; readonly steps: number }
  | { readonly do: "prepare"; readonly steps: number }
  | { readonly do: "evict"; readonly cells: number; readonly collections: number };

/** Edits of rows; with rows that make functions throw when `faults`. */
function edits(faults: boolean): fc.Arbitrary<Edit> {
  const n = faults ? fc.nat(8) : fc.nat(6);
  const thing: fc.Arbitrary<Thing> = fc.record({
    n,
    groups: fc.subarray([...GROUPS]),
    mode: faults ? fc.nat(3) : fc.constantFrom(1, 1, 3, 0, 2),
    link: fc.constantFrom(...THINGS),
  });
  return fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        table: fc.constant("things" as const),
        key: fc.constantFrom(...THINGS),
        row: fc.option(thing, { nil: undefined, freq: 4 }),
      }),
    },
    fc.record({
      table: fc.constant("lists" as const),
      key: fc.constantFrom(...LISTS),
      row: fc.option(fc.subarray([...GROUPS, ...THINGS]), { nil: undefined, freq: 6 }),
    }),
  );
}

/** Steps in any order; with rows that make functions throw when `faults`. */
export function steps(faults: boolean): fc.Arbitrary<Step[]> {
  const step: fc.Arbitrary<Step> = fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        do: fc.constant("edit" as const),
        edits: fc.array(edits(faults), { minLength: 1, maxLength: 4 }),
      }),
    },
    {
      weight: 5,
      arbitrary: fc.record({ do: fc.constant("publish" as const), check: fc.nat(255) }),
    },
    fc.record({
      do: fc.constant("peek" as const),
      table: fc.nat(20),
      key: fc.constantFrom(...THINGS, ...LISTS),
    }),
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constantFrom("read" as const, "hold" as const, "hold" as const, "drop" as const),
        which: fc.nat(5),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constantFrom("warm" as const, "prepare" as const),
        steps: fc.nat(8),
      }),
    },
    fc.record({
      do: fc.constant("evict" as const),
      cells: fc.constantFrom(0, 0, 3, 20),
      collections: fc.constantFrom(0, 0, 2),
    }),
  );
  return fc.array(step, { minLength: 4, maxLength: 40 });
}
