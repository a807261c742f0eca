import assert from "node:assert/strict";
import { MeshError } from "../../lib/kit/base/mod.ts";
import { parseArgv } from "../../lib/kit/cli/mod.ts";
import { type DiscoveryOptions, discoveryOptions } from "./options.ts";
import { PILOT_DISCOVERY } from "./program.ts";
import { checkSupported } from "./unsupported.ts";

function optionsOf(...args: string[]): DiscoveryOptions {
  const parsed = parseArgv(PILOT_DISCOVERY, ["discovery", ...args]);
  return discoveryOptions(parsed.flags);
}

Deno.test("an unsupported default is left out and logged", () => {
  const notes = checkSupported(optionsOf("--configDir=/config"), false);
  assert.equal(notes.length, 1);
  assert.match(notes[0]!, /no service registry/);
});

Deno.test("with an orchestrator nothing is said, and its registry may be named", () => {
  for (const args of [[], ["--orchconfig=/k"], ["--registries=Orchestrator"]]) {
    assert.deepEqual(checkSupported(optionsOf(...args), true), [], args.join(" "));
  }
  assert.throws(() => checkSupported(optionsOf("--registries=Mock"), true), /--registries=Mock/);
});

Deno.test("an unsupported feature that is requested by name is refused", () => {
  const cases: [args: string[], code: string, says: RegExp][] = [
    [["--configDir=/c", "--orchconfig=/k"], "not-supported", /--orchconfig=\/k.*--configDir/],
    [["--configDir=/c", "--registries=Orchestrator"], "not-supported", /--registries=Orchestrator/],
    [["--configDir=/c", "--registries=Mock"], "not-supported", /--registries=Mock/],
  ];
  for (const [args, code, says] of cases) {
    assert.throws(
      () => checkSupported(optionsOf(...args), args.some((arg) => arg.startsWith("--orchconfig"))),
      (e: unknown) => {
        assert.ok(e instanceof MeshError);
        assert.equal(e.code, code);
        assert.match(e.message, says);
        assert.ok(e.remedy);
        return true;
      },
    );
  }
});
