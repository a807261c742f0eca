import assert from "node:assert/strict";
import fc from "fast-check";
import {
  create,
  type DescField,
  type DescMessage,
  equals,
  ScalarType,
  toJson,
} from "../../../kit/proto/mod.ts";
import { parseYaml, toYaml } from "../../../kit/text/mod.ts";
import { MeshConfigSchema } from "#mesh/mesh/v1alpha1/config_pb.ts";
import {
  ConnectionPoolSettingsSchema,
  LoadBalancerSettingsSchema,
} from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import { HTTPRetrySchema, HTTPRouteSchema } from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import { WorkloadEntrySchema } from "#mesh/networking/v1alpha3/workload_entry_pb.ts";
import { KINDS } from "../kinds.ts";
import { formatPath, newReport } from "../problem.ts";
import { readMessage } from "./reader.ts";
import { readDuration } from "./scalars.ts";

function faults(schema: DescMessage, yaml: string): string[] {
  const report = newReport();
  readMessage(schema, parseYaml(yaml), [], report);
  return report.errors.map(({ code, path }) => `${code} ${formatPath(path)}`);
}

Deno.test("reader: everything that protobuf JSON does not allow is refused by path", () => {
  const cases: [DescMessage, string, ...string[]][] = [
    [HTTPRouteSchema, "3", "wrong-type "],
    [HTTPRouteSchema, "nmae: x", "unknown-field nmae"],
    [HTTPRouteSchema, "match: {}\nroute: 1", "wrong-type match", "wrong-type route"],
    [HTTPRouteSchema, "match: [{uri: a}, null]", "wrong-type match[0].uri", "wrong-type match[1]"],
    [HTTPRouteSchema, "name: 1", "wrong-type name"],
    [HTTPRouteSchema, "timeout: 3", "invalid-duration timeout"],
    [HTTPRouteSchema, "timeout: 3 s", "invalid-duration timeout"],
    [HTTPRouteSchema, "timeout: s", "invalid-duration timeout"],
    [
      HTTPRouteSchema,
      "match: [{uri: {exact: a, prefix: b}}]",
      "exclusive-fields match[0].uri.prefix",
    ],
    [
      HTTPRouteSchema,
      "match: [{headers: {a: {exact: 1}, b-c: x}}]",
      "wrong-type match[0].headers.a.exact",
      'wrong-type match[0].headers["b-c"]',
    ],
    [
      HTTPRouteSchema,
      "mirrorPercent: -1\nmirror_percent: 2",
      "out-of-range mirrorPercent",
      "duplicate-field mirrorPercent",
    ],
    [WorkloadEntrySchema, "weight: -1", "out-of-range weight"],
    [WorkloadEntrySchema, "weight: 4294967296", "out-of-range weight"],
    [WorkloadEntrySchema, "weight: 1.5", "wrong-type weight"],
    [WorkloadEntrySchema, "weight: true", "wrong-type weight"],
    [WorkloadEntrySchema, "weight: 12345678901234567890", "out-of-range weight"],
    [WorkloadEntrySchema, "labels: {a: null, b: 1}", "wrong-type labels.a", "wrong-type labels.b"],
    [WorkloadEntrySchema, "labels: [a]", "wrong-type labels"],
    [LoadBalancerSettingsSchema, "simple: ROUNDROBIN", "unknown-value simple"],
    [LoadBalancerSettingsSchema, "simple: 9", "unknown-value simple"],
    [
      LoadBalancerSettingsSchema,
      "consistentHash: {useSourceIp: yep, ringHash: {minimumRingSize: -1}}",
      "wrong-type consistentHash.useSourceIp",
      "out-of-range consistentHash.ringHash.minimumRingSize",
    ],
    [
      ConnectionPoolSettingsSchema,
      "http: {maxRetries: 2147483648}",
      "out-of-range http.maxRetries",
    ],
    [MeshConfigSchema, "enableAutoMtls: 1", "wrong-type enableAutoMtls"],
    [MeshConfigSchema, "defaultConfig: {concurrency: x}", "wrong-type defaultConfig.concurrency"],
  ];
  for (const [schema, yaml, ...said] of cases) assert.deepEqual(faults(schema, yaml), said, yaml);
});

Deno.test("reader: everything that protobuf JSON allows is read", () => {
  const report = newReport();
  const entry = readMessage(
    WorkloadEntrySchema,
    parseYaml("address: a\nweight: '7'\nservice_account: s\nlocality: null\nports: {b: 2, a: '1'}"),
    [],
    report,
  );
  assert.deepEqual(report.errors, []);
  assert.deepEqual(entry, {
    ...create(WorkloadEntrySchema),
    address: "a",
    weight: 7,
    serviceAccount: "s",
    ports: { a: 1, b: 2 },
  });
  const retry = readMessage(HTTPRetrySchema, parseYaml("retryRemoteLocalities: no"), [], report);
  assert.equal(retry.retryRemoteLocalities, false);
  const balancer = readMessage(
    LoadBalancerSettingsSchema,
    parseYaml("consistentHash: {httpHeaderName: h, maglev: {tableSize: '18446744073709551615'}}"),
    [],
    report,
  );
  assert.deepEqual(report.errors, []);
  assert.ok(balancer.lbPolicy.case === "consistentHash");
  const { hashAlgorithm } = balancer.lbPolicy.value;
  assert.ok(hashAlgorithm.case === "maglev");
  assert.equal(hashAlgorithm.value.tableSize, 18446744073709551615n);
});

Deno.test("reader: a misspelt field names the one that was meant, in either spelling", () => {
  const report = newReport();
  readMessage(
    WorkloadEntrySchema,
    parseYaml("serviceAcount: x\nwieght: 1\nqqqqqqqq: 1"),
    [],
    report,
  );
  const remedies = report.errors.map(({ remedy }) => remedy);
  assert.equal(remedies[0], 'Did you mean "serviceAccount"?');
  assert.equal(remedies[1], 'Did you mean "weight"?');
  assert.match(remedies[2] ?? "", /^Use one of: address, /);
});

Deno.test("reader: a string field given a number says to quote it", () => {
  const report = newReport();
  readMessage(WorkloadEntrySchema, parseYaml("labels: {version: 1.0}"), [], report);
  assert.match(report.errors[0]?.remedy ?? "", /^Put it in quotes; .* number\.$/);
});

Deno.test("reader: durations are exact to the nanosecond", () => {
  const cases: [string, bigint, number][] = [
    ["1.5s", 1n, 500_000_000],
    ["1h30m", 5400n, 0],
    ["100ms", 0n, 100_000_000],
    ["0.000000001s", 0n, 1],
    ["-1.5s", -1n, -500_000_000],
    ["0s", 0n, 0],
    ["0", 0n, 0],
    ["1m1.001s", 61n, 1_000_000],
    ["3us", 0n, 3000],
  ];
  for (const [text, seconds, nanos] of cases) {
    const { value } = readDuration(text);
    assert.deepEqual([value?.seconds, value?.nanos], [seconds, nanos], text);
  }
  for (const bad of ["", "s", "1", "1x", "1s ", "--1s", "1s1", 1, null]) {
    assert.ok(readDuration(bad).fault !== undefined, String(bad));
  }
});

/** Any message of a type, by its descriptor. */
function anyMessage(schema: DescMessage, depth: number): fc.Arbitrary<unknown> {
  const fields = schema.fields.filter((field) => depth > 0 || field.message === undefined);
  const chosen = fc.subarray([...fields]).chain((some) => {
    const groups = new Set<unknown>();
    const single = some.filter(({ oneof }) =>
      oneof === undefined || (!groups.has(oneof) && groups.add(oneof))
    );
    return fc.tuple(...single.map((field) => fc.tuple(fc.constant(field), anyField(field, depth))));
  });
  return chosen.map((pairs) => {
    const init: Record<string, unknown> = {};
    for (const [field, value] of pairs) {
      if (field.oneof) init[field.oneof.localName] = { case: field.localName, value };
      else init[field.localName] = value;
    }
    return create(schema, init);
  });
}

function anyField(field: DescField, depth: number): fc.Arbitrary<unknown> {
  const one = anySingle(field, depth);
  if (field.fieldKind === "list") return fc.array(one, { maxLength: 2 });
  if (field.fieldKind !== "map") return one;
  return fc.dictionary(fc.stringMatching(/^[a-z][a-z.\/-]{0,5}$/), one, {
    maxKeys: 2,
    noNullPrototype: true,
  });
}

function anySingle(field: DescField, depth: number): fc.Arbitrary<unknown> {
  if (field.scalar !== undefined) return anyScalar(field.scalar);
  if (field.enum !== undefined) {
    return fc.constantFrom(...field.enum.values.map(({ number }) => number));
  }
  const schema = field.message!;
  switch (schema.typeName) {
    case "google.protobuf.Struct":
      return fc.constant({ a: ["yes", 1, null, { b: true }] });
    case "google.protobuf.Duration":
      return fc.record({
        seconds: fc.bigInt(0n, 10n ** 6n),
        nanos: fc.integer({ min: 0, max: 999_999_999 }),
      })
        .map((init) => create(schema, init));
    default:
      return schema.typeName.startsWith("google.protobuf.")
        ? anyScalar(schema.fields[0]!.scalar!)
        : anyMessage(schema, depth - 1);
  }
}

function anyScalar(type: ScalarType): fc.Arbitrary<unknown> {
  switch (type) {
    case ScalarType.STRING:
      return fc.oneof(
        fc.string(),
        fc.constantFrom("yes", "1", "~", "a: b", "- x", "1:30", "&a", "#"),
      );
    case ScalarType.BOOL:
      return fc.boolean();
    case ScalarType.BYTES:
      return fc.uint8Array({ maxLength: 5 });
    case ScalarType.DOUBLE:
      return fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => !Object.is(n, -0));
    case ScalarType.INT64:
      return fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n);
    case ScalarType.UINT64:
      return fc.bigInt(0n, 2n ** 64n - 1n);
    case ScalarType.UINT32:
      return fc.nat();
    default:
      return fc.integer();
  }
}

Deno.test("reader: messages of every kind survive being written as YAML", () => {
  const read = KINDS.filter((kind) => !kind.metadataOnly).map((kind) => kind.schema);
  for (const schema of [...read, MeshConfigSchema]) {
    fc.assert(
      fc.property(anyMessage(schema, 3), (message) => {
        const json = toJson(schema, message as ReturnType<typeof create>);
        const report = newReport();
        const back = readMessage(schema, parseYaml(toYaml(json)), [], report);
        assert.deepEqual(report.errors, []);
        assert.ok(equals(schema, back, message as typeof back));
      }),
      { numRuns: 60 },
    );
  }
});
