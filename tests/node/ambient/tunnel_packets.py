"""Reads packets of an interface, until one shows the version of TLS on port 15008.

Arguments: the interface, the version of IP (4 or 6), and the seconds after which it ends with status 1. Prints the
version of TLS that a server chose: "TLS 1.3", or what it is otherwise.
"""

import socket
import struct
import sys
import time

PORT = 15008
HANDSHAKE, SERVER_HELLO, SUPPORTED_VERSIONS = 22, 2, 43
VERSIONS = {0x0304: "TLS 1.3", 0x0303: "TLS 1.2"}


def payload_of(packet):
    """The payload of a TCP packet from the port."""
    if version_of_ip == "4":
        if packet[12:14] != b"\x08\x00" or packet[23] != 6:
            return b""
        at = 14 + (packet[14] & 15) * 4
        end = 14 + struct.unpack("!H", packet[16:18])[0]
    else:
        if packet[12:14] != b"\x86\xdd" or packet[20] != 6:
            return b""
        at = 54
        end = at + struct.unpack("!H", packet[18:20])[0]
    if struct.unpack("!H", packet[at : at + 2])[0] != PORT:
        return b""
    return packet[at + (packet[at + 12] >> 4) * 4 : end]


def version_of(data):
    """The version that a ServerHello chooses; None if the data are none."""
    if len(data) < 44 or data[0] != HANDSHAKE or data[5] != SERVER_HELLO:
        return None
    at = 43 + 1 + data[43] + 3
    end = at + 2 + struct.unpack("!H", data[at : at + 2])[0]
    at += 2
    while at + 4 <= end:
        kind, size = struct.unpack("!HH", data[at : at + 4])
        if kind == SUPPORTED_VERSIONS:
            return struct.unpack("!H", data[at + 4 : at + 6])[0]
        at += 4 + size
    return struct.unpack("!H", data[9:11])[0]


interface, version_of_ip, seconds = sys.argv[1:]
sniffer = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
sniffer.bind((interface, 0))
deadline = time.monotonic() + float(seconds)
while (left := deadline - time.monotonic()) > 0:
    sniffer.settimeout(left)
    try:
        version = version_of(payload_of(sniffer.recv(65536)))
    except socket.timeout:
        break
    if version is not None:
        print(VERSIONS.get(version, hex(version)))
        sys.exit(0)
print("no handshake on port 15008")
sys.exit(1)
