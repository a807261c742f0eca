"""A program on the socket of node proxies: prints the messages that it gets as hexadecimal digits.

Its arguments are the path and what it does: `answer` acknowledges, `refuse` acknowledges with an error, `silent` says
hello and no more, `mute` says nothing, `stranger` says something else.
"""

import array
import os
import socket
import sys

path, manner = sys.argv[1:]
connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
connection.connect(path)
if manner == "stranger":
    connection.send(b"\xff\xff\xff")
elif manner != "mute":
    connection.send(b"\x08\x01")
while True:
    data, rights, _, _ = connection.recvmsg(65536, socket.CMSG_SPACE(64))
    if not data:
        print("closed", flush=True)
        break
    inodes = []
    for _, _, descriptors in rights:
        numbers = array.array("i")
        numbers.frombytes(descriptors[: len(descriptors) // numbers.itemsize * numbers.itemsize])
        for number in numbers:
            inodes.append(str(os.fstat(number).st_ino))
            os.close(number)
    print(data.hex(), *inodes, flush=True)
    if manner == "answer":
        connection.send(b"\x0a\x00")
    elif manner == "refuse":
        connection.send(b"\x0a\x04\x0a\x02no")
