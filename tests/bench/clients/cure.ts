/**
 * The cure of the library's informers: `isReadable` of the platform's `node:stream` returns null for web
 * streams, so that the library's HTTP client forwards no aborts. To be imported before the library.
 *
 * @module
 */
import stream from "node:stream";

const own = stream.isReadable;

Object.assign(stream, {
  isReadable: (one: unknown) => one instanceof ReadableStream || own(one as NodeJS.ReadableStream),
});
