/**
 * WebAssembly modules for Envoy: they add a header to each response or request, or fail. They are
 * assembled by the binary format of WebAssembly and the proxy-wasm ABI 0.2.1.
 *
 * @module
 */

const I32 = 0x7f;
const FUNC = 0x60;
/** Kinds of imports and exports. */
const FUNCTION = 0;
const MEMORY = 2;
/** Instructions. */
const UNREACHABLE = 0x00;
const CALL = 0x10;
const CONST = 0x41;
const DROP = 0x1a;
const END = 0x0b;
/** Header maps of the host calls. */
const HEADERS = { request: 0, response: 2 } as const;
/** Offset of the host's data; offset of the texts. */
const HEAP = 4096;
const TEXTS = 1024;

/** A module that adds a header to every answer, or to every request. */
export function headerModule(
  name: string,
  value: string,
  of: keyof typeof HEADERS = "response",
): Uint8Array<ArrayBuffer> {
  const arguments_ = [HEADERS[of], TEXTS, name.length, TEXTS + name.length, value.length];
  const code = [...arguments_.flatMap(push), CALL, 0, DROP, ...push(0)];
  return moduleOf(`proxy_on_${of}_headers`, code, name + value);
}

/** A module that breaks down with every request. */
export function brokenModule(): Uint8Array<ArrayBuffer> {
  return moduleOf("proxy_on_request_headers", [UNREACHABLE], "");
}

/** A module with the code that one call runs, and texts that it may use. */
function moduleOf(call: string, code: readonly number[], texts: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [type(0, 0), type(1, 1), type(3, 1), type(5, 1)]),
    ...section(2, [[...text("env"), ...text("proxy_add_header_map_value"), FUNCTION, 3]]),
    ...section(3, [[0], [1], [2]]),
    ...section(5, [[0, 1]]),
    ...section(7, [
      [...text("memory"), MEMORY, 0],
      [...text("proxy_abi_version_0_2_1"), FUNCTION, 1],
      [...text("proxy_on_memory_allocate"), FUNCTION, 2],
      [...text(call), FUNCTION, 3],
    ]),
    ...section(10, [body([]), body(push(HEAP)), body(code)]),
    ...section(11, [[0, ...push(TEXTS), END, ...text(texts)]]),
  ]);
}

/** Numbers up to 2^32 as the format writes them: seven bits a byte. */
function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

/** The same with a sign: the highest bit that is written counts as it. */
function signed(value: number): number[] {
  return value < 0x40 ? [value] : [(value & 0x7f) | 0x80, ...signed(value >>> 7)];
}

function text(value: string): number[] {
  const bytes = [...new TextEncoder().encode(value)];
  return [...unsigned(bytes.length), ...bytes];
}

function push(value: number): number[] {
  return [CONST, ...signed(value)];
}

function type(parameters: number, results: number): number[] {
  const list = (count: number) => [count, ...Array.from({ length: count }, () => I32)];
  return [FUNC, ...list(parameters), ...list(results)];
}

/** A function without variables of its own. */
function body(code: readonly number[]): number[] {
  const whole = [0, ...code, END];
  return [...unsigned(whole.length), ...whole];
}

function section(id: number, items: readonly (readonly number[])[]): number[] {
  const content = [...unsigned(items.length), ...items.flat()];
  return [id, ...unsigned(content.length), ...content];
}
