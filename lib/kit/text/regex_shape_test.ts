import assert from "node:assert/strict";
import fc from "fast-check";
import { compileRegex, regexFault } from "./regex.ts";
Deno.test("expressions of one shape are judged as each by itself", () => {
  const piece = fc.constantFrom(
    ..."a b2 item-7 / . * + ? | ^ $ ( ) [ ] { } {2} {2,} {3,1} (?i) (?: (?P<n>x) (?P<n> (?<n>y) \\"
      .split(" "),
    ..."\\d \\x41 \\x4 \\x{41} \\x{zz} \\pL \\p{Lu} \\p{No \\Q*a \\E \\12 \\8 \\C [a-z] [z-a] [] []a] [[:alpha:]] [[:no:]] [^"
      .split(" "),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), fc.array(piece, { maxLength: 8 }), (a, b) => {
      for (const parts of [a, b, [...a, ...b]]) {
        const source = parts.join("");
        const compiled = compileRegex(source);
        const fault = regexFault(source);
        assert.equal(fault === undefined, typeof compiled !== "string", `${source}: ${fault}`);
      }
    }),
    { numRuns: 5_000, examples: [[["{", "[^", "\\x{41}", "item-7", "]"], []]] },
  );
});
