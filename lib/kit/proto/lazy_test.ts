import assert from "node:assert/strict";
import {
  create,
  type DescFile,
  type DescMessage,
  fromBinary,
  getOption,
  isMessage,
  type Message,
  toBinary,
  toJson,
} from "@bufbuild/protobuf";
import { fileDesc as eagerFile } from "@bufbuild/protobuf/codegenv2";
import { nestedTypes } from "@bufbuild/protobuf/reflect";
import {
  type FileDescriptorProto,
  FileDescriptorProtoSchema,
  FileOptionsSchema,
} from "@bufbuild/protobuf/wkt";
import { ClusterSchema } from "#envoy/config/cluster/v3/cluster_pb.ts";
import { AddressSchema, SocketAddressSchema } from "#envoy/config/core/v3/address_pb.ts";
import { TlsCertificateSchema } from "#envoy/extensions/transport_sockets/tls/v3/common_pb.ts";
import { AggregatedDiscoveryService } from "#envoy/service/discovery/v3/ads_pb.ts";
import { DiscoveryRequestSchema } from "#envoy/service/discovery/v3/discovery_pb.ts";
import { enumDesc, extDesc, fileDesc, messageDesc, serviceDesc } from "./lazy.ts";
import { SERVED_TYPES } from "./registry.ts";
import { sensitive } from "./gen/udpa/annotations/sensitive_pb.ts";

const TYPE_MESSAGE = 11;
const TYPE_ENUM = 14;
const TYPE_STRING = 9;

function data(file: FileDescriptorProto): string {
  return toBinary(FileDescriptorProtoSchema, file).toBase64();
}

/**
 * A message `Outer` with a nested message `Inner`, a nested enumeration, and a field of type
 * `b.Far`.
 */
const A = data(create(FileDescriptorProtoSchema, {
  name: "a.proto",
  package: "a",
  syntax: "proto3",
  messageType: [{
    name: "Outer",
    field: [
      { name: "inner", number: 1, label: 1, type: TYPE_MESSAGE, typeName: ".a.Outer.Inner" },
      { name: "mode", number: 2, label: 1, type: TYPE_ENUM, typeName: ".a.Outer.Mode" },
      { name: "far", number: 3, label: 1, type: TYPE_MESSAGE, typeName: ".b.Far", oneofIndex: 0 },
      {
        name: "by_name",
        number: 4,
        label: 3,
        type: TYPE_MESSAGE,
        typeName: ".a.Outer.ByNameEntry",
      },
    ],
    oneofDecl: [{ name: "choice" }],
    nestedType: [
      {
        name: "ByNameEntry",
        options: { mapEntry: true },
        field: [
          { name: "key", number: 1, label: 1, type: TYPE_STRING },
          { name: "value", number: 2, label: 1, type: TYPE_MESSAGE, typeName: ".a.Outer.Inner" },
        ],
      },
      { name: "Inner", field: [{ name: "text", number: 1, label: 1, type: TYPE_STRING }] },
    ],
    enumType: [{ name: "Mode", value: [{ name: "OFF", number: 0 }, { name: "ON", number: 1 }] }],
  }],
  service: [{
    name: "Service",
    method: [{ name: "Ask", inputType: ".a.Outer", outputType: ".b.Far" }],
  }],
}));

function declared(imported: string) {
  const far = fileDesc("b.proto", imported);
  const farType = messageDesc<Message>(far, "b.Far", 0);
  const file = fileDesc("a.proto", A, [far]);
  const outer = messageDesc<Message>(file, "a.Outer", 0);
  const inner = messageDesc<Message>(file, "a.Outer.Inner", 0, 0);
  const mode = enumDesc<number>(file, "a.Outer.Mode", 0, 0);
  return { far, farType, file, outer, inner, mode, service: serviceDesc(file, 0) };
}

Deno.test("lazy descriptors: one file is read without those that it imports", () => {
  const { outer, inner, mode, farType, far } = declared("this is no descriptor");
  const field = (name: string) => outer.fields.find((one) => one.name === name);
  assert.equal(field("inner")?.message, inner);
  assert.equal(field("mode")?.enum, mode);
  assert.equal(field("by_name")?.message, inner);
  assert.equal(field("far")?.message, farType);
  const message = create(outer, { inner: { text: "x" }, mode: 1 } as object);
  assert.ok(isMessage((message as unknown as Record<string, unknown>).inner, inner));
  assert.throws(() => far.proto, "what is looked into is read");
});

Deno.test("lazy descriptors: names are known, and lists complete, before anything is read", () => {
  const { file, outer, inner, mode, far } = declared("this is no descriptor");
  assert.deepEqual([...nestedTypes(file)].slice(0, 3), [outer, inner, mode]);
  assert.deepEqual([file.name, outer.typeName, inner.typeName, mode.typeName, far.name], [
    "a",
    "a.Outer",
    "a.Outer.Inner",
    "a.Outer.Mode",
    "b",
  ]);
});

Deno.test("lazy descriptors: loaded descriptors keep their identity", () => {
  const { file, far, outer, inner, mode, farType, service } = declared(data(
    create(FileDescriptorProtoSchema, {
      name: "b.proto",
      package: "b",
      syntax: "proto3",
      messageType: [{ name: "Far" }],
    }),
  ));
  assert.equal(outer.file, file);
  assert.equal(inner.parent, outer);
  assert.equal(mode.parent, outer);
  assert.equal(mode.values[0]?.parent, mode);
  assert.equal(outer.fields[0]?.parent, outer);
  assert.equal(outer.oneofs[0]?.parent, outer);
  assert.deepEqual(outer.nestedMessages, [inner]);
  assert.deepEqual(file.messages, [outer]);
  assert.deepEqual(file.dependencies, [far]);
  assert.equal(service.methods[0]?.input, outer);
  assert.equal(service.methods[0]?.output, farType);
  assert.equal(String(outer), "message a.Outer");
  assert.equal(file.proto.name, "a.proto");
});

Deno.test("lazy descriptors: an extension has its number once it is asked for", () => {
  const file = fileDesc(
    "e.proto",
    data(create(FileDescriptorProtoSchema, {
      name: "e.proto",
      package: "e",
      syntax: "proto3",
      dependency: ["google/protobuf/descriptor.proto"],
      extension: [{
        name: "mark",
        number: 50_000,
        label: 1,
        type: TYPE_STRING,
        extendee: ".google.protobuf.FileOptions",
      }],
    })),
    [FileOptionsSchema.file],
  );
  const mark = extDesc(file, 0);
  assert.equal(mark.number, 50_000);
  assert.equal(mark.extendee, FileOptionsSchema);
  assert.equal(mark.typeName, "e.mark");
});

Deno.test("lazy descriptors: the generated declarations equal what the library reads", () => {
  const seen = new Map<DescFile, DescFile>();
  const eager = (file: DescFile): DescFile => {
    const known = seen.get(file);
    if (known !== undefined) return known;
    const proto = { ...file.proto, dependency: [] };
    const imports = file.dependencies.map(eager);
    const read = eagerFile(toBinary(FileDescriptorProtoSchema, proto).toBase64(), imports);
    seen.set(file, read);
    return read;
  };
  const roots = [ClusterSchema.file, AggregatedDiscoveryService.file, AddressSchema.file];
  for (const file of roots) {
    const [lazy, read] = [[...nestedTypes(file)], [...nestedTypes(eager(file))]];
    assert.deepEqual(lazy.map(String), read.map(String));
    for (const [i, type] of lazy.entries()) {
      if (type.kind !== "message") continue;
      const other = read[i] as DescMessage;
      assert.deepEqual(type.fields.map(shape), other.fields.map(shape), type.typeName);
    }
  }
});

function shape(field: DescMessage["fields"][number]): unknown[] {
  const { name, number, fieldKind, message, oneof, localName, jsonName, presence } = field;
  const enumeration = field.enum?.typeName;
  return [name, number, fieldKind, message?.typeName, enumeration, oneof?.name, localName]
    .concat(jsonName, presence);
}

Deno.test("lazy descriptors: messages of files that import each other go to bytes and JSON", () => {
  const address = create(SocketAddressSchema, { address: "10.0.0.1" });
  const cluster = create(ClusterSchema, {
    name: "x",
    upstreamBindConfig: { sourceAddress: address },
  });
  assert.ok(isMessage(cluster.upstreamBindConfig?.sourceAddress, SocketAddressSchema));
  const back = fromBinary(ClusterSchema, toBinary(ClusterSchema, cluster));
  assert.deepEqual(toJson(ClusterSchema, back), {
    name: "x",
    upstreamBindConfig: { sourceAddress: { address: "10.0.0.1" } },
  });
  assert.equal(SERVED_TYPES.getMessage("envoy.config.cluster.v3.Cluster"), ClusterSchema);
  const { streamAggregatedResources } = AggregatedDiscoveryService.method;
  assert.equal(streamAggregatedResources.input, DiscoveryRequestSchema);
});

Deno.test("lazy descriptors: options of fields are found", () => {
  const fields = TlsCertificateSchema.fields.filter((field) => getOption(field, sensitive));
  assert.deepEqual(fields.map((field) => field.name), ["private_key", "pkcs12", "password"]);
});
