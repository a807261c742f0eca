/**
 * Cases of files with mistakes: the messages, and that everything else serves.
 *
 * @module
 */
import assert from "node:assert/strict";
import { eventually } from "../../../scripts/harness/mod.ts";
import { documents, endpoint, manifest, serviceEntry } from "../../support/manifest.ts";
import { metricOf, type Problem, problemsOf } from "../../support/views.ts";
import { type Bench, type DirectoryCase, lineOf, ROUTES, routesTo } from "./bench.ts";

/** Waits until a number of documents is rejected. */
async function rejectedCount({ world }: Bench, count: number): Promise<readonly Problem[]> {
  return await eventually(`${count} documents rejected`, async () => {
    const { problems } = await problemsOf(world.daemon);
    return problems.length === count && problems;
  });
}

function occurrences(text: string, part: string): number {
  return text.split(part).length - 1;
}

export const PROBLEM_CASES: readonly DirectoryCase[] = [
  {
    name: "a broken file is refused with its place, and what was there before serves",
    run: async (bench) => {
      const { world: { config, daemon }, answered, still } = bench;
      const broken = routesTo("v2", { retries: { attempts: "many" } });
      const before = await metricOf(daemon, "pilot_total_rejected_configs") ?? 0;
      await config.write(ROUTES, broken);
      const [problem] = await rejectedCount(bench, 1);
      assert.ok(problem);
      const line = lineOf(broken, "attempts: many");
      assert.equal(problem.file, ROUTES);
      assert.equal(problem.line, line);
      assert.equal(problem.column, broken.split("\n")[line - 1]!.indexOf("many") + 1);
      assert.equal(problem.path, "spec.http[0].retries.attempts");
      assert.deepEqual(problem.object, { kind: "VirtualService", namespace: "test", name: "shop" });
      assert.notEqual(problem.message, "");
      assert.notEqual(problem.remedy, "");
      assert.equal(problem.lastGoodServes, true);
      await still("v1");
      assert.equal(await metricOf(daemon, "pilot_config_documents_rejected"), 1);
      assert.equal(await metricOf(daemon, "pilot_total_rejected_configs"), before + 1);
      // Another change makes the directory be read again; the log does not repeat itself.
      await config.write("other.yaml", serviceEntry("other", ["other.test"], TCP, []));
      await served(bench, "other.test");
      const position = `${ROUTES}:${line}:`;
      assert.equal(occurrences(daemon.program.output(), position), 1, daemon.program.output());
      await config.remove("other.yaml");
      await config.write(ROUTES, routesTo("v2"));
      await answered("v2");
      await rejectedCount(bench, 0);
      assert.equal(await metricOf(daemon, "pilot_config_documents_rejected"), 0);
    },
  },
  {
    name: "a text that is not YAML is refused as well",
    run: async (bench) => {
      const { world: { config }, still, answered } = bench;
      await config.write(ROUTES, routesTo("v2").replace("spec:", "spec: [\n"));
      const [problem] = await rejectedCount(bench, 1);
      assert.equal(problem?.file, ROUTES);
      assert.ok((problem?.line ?? 0) > 1, `line ${problem?.line}`);
      await still("v1");
      await config.write(ROUTES, routesTo("v2"));
      await answered("v2");
      await rejectedCount(bench, 0);
    },
  },
  {
    name: "only the broken one of several documents in a file is rejected",
    run: async (bench) => {
      const { world: { config }, answered } = bench;
      const port70000 = serviceEntry("bad", ["bad.test"], { ...TCP, number: 70000 }, []);
      await config.write(ROUTES, documents(port70000, routesTo("v2")));
      await answered("v2");
      const [problem] = await rejectedCount(bench, 1);
      assert.equal(problem?.path, "spec.ports[0].number");
      assert.equal(problem?.lastGoodServes, false);
    },
  },
  {
    name: "the first by file of two documents with one name is used",
    run: async (bench) => {
      const { world: { config }, answered, still } = bench;
      await config.write("zzz.yaml", routesTo("v2"));
      const [problem] = await rejectedCount(bench, 1);
      assert.equal(problem?.file, "zzz.yaml");
      assert.match(problem?.message ?? "", /routes\.yaml:1/);
      await still("v1");
      await config.remove(ROUTES);
      await answered("v2");
      await rejectedCount(bench, 0);
      await config.remove("zzz.yaml");
    },
  },
  {
    name: "an ineffective field is named in a warning, and the document is used",
    run: async (bench) => {
      const { world: { config, daemon } } = bench;
      const text = `${serviceEntry("ineffective", ["ineffective.test"], TCP, [endpoint(9)])}---
apiVersion: extensions.mesh.io/v1alpha1
kind: WasmPlugin
metadata: {name: ineffective}
spec:
  selector: {matchLabels: {app: nobody}}
  url: file:///nowhere.wasm
  verificationKey: none
`;
      await config.write("ineffective.yaml", text);
      await served(bench, "ineffective.test");
      const { problems, warnings } = await problemsOf(daemon);
      assert.deepEqual(problems, []);
      assert.deepEqual(warnings.map(({ file, line, path, code }) => ({ file, line, path, code })), [
        {
          file: "ineffective.yaml",
          line: lineOf(text, "verificationKey"),
          path: "spec.verificationKey",
          code: "no-effect",
        },
      ]);
      assert.match(warnings[0]?.message ?? "", /verificationKey/);
      await daemon.program.printed(/warning: ineffective\.yaml:\d+:\d+.*verificationKey/);
      await config.remove("ineffective.yaml");
      await eventually(
        "the warning to be gone",
        async () => (await problemsOf(daemon)).warnings.length === 0,
      );
    },
  },
  {
    name: "an unknown field is an error that names the field meant",
    run: async (bench) => {
      const { world: { config } } = bench;
      const text = manifest("DestinationRule", "typo", { host: "typo.test", trafikPolicy: {} });
      await config.write("typo.yaml", text);
      const [problem] = await rejectedCount(bench, 1);
      assert.equal(problem?.path, "spec.trafikPolicy");
      assert.equal(problem?.line, lineOf(text, "trafikPolicy"));
      assert.match(`${problem?.message} ${problem?.remedy}`, /trafficPolicy/);
      await config.remove("typo.yaml");
      await rejectedCount(bench, 0);
    },
  },
];

const TCP = { number: 9090, protocol: "TCP" };

/** Waits until a host is a service of the mesh. */
async function served({ world }: Bench, host: string): Promise<void> {
  await eventually(
    `${host} to be known`,
    async () => (await world.daemon.debug<string[]>("registryz?brief")).includes(host),
  );
}
