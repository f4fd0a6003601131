"""Progress in a narrow terminal: one line, which later reports overwrite."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios


def test_progress_stays_in_its_line(folder):
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("4H", 24, 30, 0, 0))
    command = [folder.program, "run", "model.yaml", "--packets", "50000", "--threads", "1", "-o", "out.h5"]
    run = subprocess.Popen(command, cwd=folder.path, stdout=subprocess.DEVNULL, stderr=follower)
    os.close(follower)
    told = b""
    try:
        while part := os.read(leader, 4096):
            told += part
    except OSError:  # the program has closed its end
        pass
    os.close(leader)
    assert run.wait() == 0
    shown = re.findall(r"\r([^\r\n]+?)\033\[K", told.decode())
    assert shown and all("%" in line and len(line) <= 29 for line in shown)
    assert any(len(line) == 29 for line in shown)  # there was more to say
