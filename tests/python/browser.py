"""A headless Chromium that a test drives: a page from disk, its console, its requests, keys, pointer and pictures.

It speaks the DevTools protocol through a pair of pipes (--remote-debugging-pipe: JSON texts that end in a zero byte), so
that nothing but the browser itself has to be installed.
"""

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
KEYS = {"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Home": 36, "End": 35, "Escape": 27, " ": 32}
PATIENCE = 120  # s: a machine may be busy


def find_browser():
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Browser:
    def __init__(self, program):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        (theirs_in, self._write), (self._read, theirs_out) = os.pipe(), os.pipe()
        options = ["--headless", "--no-sandbox", "--disable-gpu-sandbox", "--use-gl=angle", "--use-angle=swiftshader",
                   "--enable-unsafe-swiftshader", "--hide-scrollbars", "--no-first-run", "--disable-dev-shm-usage",
                   f"--user-data-dir={self.profile.name}", "--remote-debugging-pipe", "about:blank"]  # fmt: skip
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (theirs_in, theirs_out)]

        def connect():  # the browser reads from descriptor 3 and writes to 4
            os.dup2(ends[0], 3)
            os.dup2(ends[1], 4)

        self.process = subprocess.Popen([program, *options], preexec_fn=connect, pass_fds=(3, 4),
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
        for end in (theirs_in, theirs_out, *ends):
            os.close(end)
        self._buffer, self._number, self._session, self.events = b"", 0, None, []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def close(self):
        self._session = None
        try:
            self.call("Browser.close")
            self.process.wait(10)
        except (OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self._write)
        os.close(self._read)
        self.profile.cleanup()

    # ---- the protocol ----

    def call(self, method, **parameters):
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            found = self._next()
            if found.get("id") == self._number:
                if "error" in found:
                    raise RuntimeError(f"{method}: {found['error']['message']}")
                return found["result"]
            self.events.append(found)

    def _next(self):
        while b"\0" not in self._buffer:
            if not select.select([self._read], [], [], PATIENCE)[0]:
                raise TimeoutError("the browser does not answer")
            part = os.read(self._read, 1 << 20)
            if not part:
                raise OSError("the browser has ended")
            self._buffer += part
        text, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(text)

    # ---- what a test does ----

    def size(self, width, height, phone=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=phone)
        self.call("Emulation.setTouchEmulationEnabled", enabled=phone)

    def show(self, path):
        """Show a page, and wait until it is complete."""
        self.events.clear()
        address = Path(path).resolve().as_uri()
        self.call("Page.navigate", url=address)
        self.wait(f"location.href === '{address}' && document.readyState === 'complete'")

    def open(self, path):
        """Show a page of `linerad view`, and wait until it has unpacked its cubes."""
        self.show(path)
        self.wait("window.linerad !== undefined")

    def run(self, script):
        """The value of an expression; promises are awaited."""
        found = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in found:
            raise RuntimeError(found["exceptionDetails"]["exception"].get("description", "failed"))
        return found["result"].get("value")

    def wait(self, condition):
        end = time.monotonic() + PATIENCE
        while not self.run(condition):
            if time.monotonic() > end:
                raise TimeoutError(f"{condition}; the page says: {self.run('document.body.innerText')[:300]}")
            time.sleep(0.02)

    def drawn(self):
        """Wait for the next two frames: what was asked for is on the screen."""
        self.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def key(self, name, shift=False):
        parts = {
            "key": name,
            "windowsVirtualKeyCode": KEYS.get(name, ord(name[0].upper())),
            "modifiers": 8 if shift else 0,
        }
        self.call("Input.dispatchKeyEvent", type="keyDown", **parts)
        self.call("Input.dispatchKeyEvent", type="keyUp", **parts)
        self.drawn()

    def mouse(self, *places, button="left"):
        """Press at the first place (x, y in the window), move to the others, release. button='none' only moves."""
        for k, (x, y) in enumerate(places):
            held = 1 if button == "left" and k else 0
            self.call(
                "Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y, button=button if held else "none", buttons=held
            )
            if button == "left" and k == 0:
                self.call(
                    "Input.dispatchMouseEvent", type="mousePressed", x=x, y=y, button=button, buttons=1, clickCount=1
                )
        if button == "left":
            x, y = places[-1]
            self.call(
                "Input.dispatchMouseEvent", type="mouseReleased", x=x, y=y, button=button, buttons=0, clickCount=1
            )
        self.drawn()

    def touch(self, *places):
        """A finger goes down at the first place, moves to the others and lifts."""
        for k, (x, y) in enumerate(places):
            self.call(
                "Input.dispatchTouchEvent", type="touchMove" if k else "touchStart", touchPoints=[{"x": x, "y": y}]
            )
        self.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
        self.drawn()

    def picture(self, path=None, whole=False):
        """The window, or the whole page, as a PNG."""
        self.drawn()
        data = base64.b64decode(self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"])
        if path:
            Path(path).write_bytes(data)
        return data

    # ---- what it saw ----

    def complaints(self):
        """Errors and warnings on the console, and exceptions."""
        found = []
        for event in self.events:
            told = event.get("params", {})
            if event.get("method") == "Runtime.exceptionThrown":
                found.append(told["exceptionDetails"]["exception"].get("description", "exception"))
            elif event.get("method") == "Runtime.consoleAPICalled" and told["type"] in ("error", "warning", "assert"):
                found.append(str([part.get("value", part.get("description")) for part in told["args"]]))
            elif event.get("method") == "Log.entryAdded" and told["entry"]["level"] in ("error", "warning"):
                found.append(told["entry"]["text"])
        return found

    def requests(self):
        """Addresses that the page asked for."""
        return [event["params"]["request"]["url"] for event in self.events
                if event.get("method") == "Network.requestWillBeSent"]  # fmt: skip
