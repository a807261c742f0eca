"""Runs a command in a pseudo-terminal: standard input is what is typed, standard
output what the screen is sent. Ends when the command does, or when nothing more
can be typed.

Usage: terminal.py ROWS COLUMNS COMMAND [ARGUMENT...]
"""

import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios


def main() -> None:
    rows, columns, command = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    child, screen = pty.fork()
    if child == 0:
        size = struct.pack("HHHH", rows, columns, 0, 0)
        fcntl.ioctl(0, termios.TIOCSWINSZ, size)
        os.execvp(command[0], command)
    while True:
        ready, _, _ = select.select([0, screen], [], [])
        if 0 in ready:
            typed = os.read(0, 4096)
            if not typed:
                break
            os.write(screen, typed)
        if screen in ready:
            try:
                shown = os.read(screen, 65536)
            except OSError:  # what a terminal says whose last user has gone
                break
            os.write(1, shown)
    # All that runs in the terminal lives in one session, whose end is not waited for:
    # a shell may wait for a completion that it has begun.
    os.close(screen)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


main()
sys.exit(main())
