import assert from "node:assert/strict";
import type { ObservedStream } from "../../mesh/xds/mod.ts";
import { numbersOf, withBit } from "./bits.ts";
import { progress } from "./progress.ts";
import { addMember, newRollout, numberOf, typeChange } from "./rollout.ts";

const TYPE = "type.googleapis.com/test.Resource";

Deno.test("names withheld by several responses of one publication are all remembered", () => {
  const open = progress(() => {});
  const stream = { id: "one" } as ObservedStream;
  const change = typeChange(newRollout(7, 0, true), TYPE);
  const all = ["a", "b", "c"].map((name) => numberOf(change, name))
    .reduce<Uint32Array>(withBit, new Uint32Array(0));
  const member = addMember(change, stream, all);
  open.add(stream, { change, member });
  const withhold = (name: string) =>
    open.withheld({ stream, typeUrl: TYPE, from: 6, revision: 7, names: [name] });
  withhold("a");
  withhold("c");
  assert.deepEqual([...numbersOf(member.withheld!)], [0, 2]);
});
