import assert from "node:assert/strict";
import { localPorts } from "./listening_sockets.ts";

Deno.test("ports with a socket on the loopback interface alone are local", () => {
  const sockets = `LISTEN 0      4096       127.0.0.1:15000      0.0.0.0:*
LISTEN 0      511        127.0.0.1:8080       0.0.0.0:*
LISTEN 0      511          0.0.0.0:8080       0.0.0.0:*
LISTEN 0      511            [::1]:9090          [::]:*
LISTEN 0      511                *:9091             *:*
LISTEN 0      511       10.0.0.9%eth0:9092    0.0.0.0:*
LISTEN 0      511  [::ffff:127.0.0.1]:9093          *:*    users:(("web",pid=7,fd=3))
ESTAB  0      0          127.0.0.1:7070     127.0.0.1:5
`;
  assert.deepEqual([...localPorts(sockets)], [15000, 9090, 9093]);
  assert.deepEqual([...localPorts("")], []);
});
