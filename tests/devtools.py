"""A page in headless Chromium, driven by the DevTools protocol over a WebSocket, with the standard library alone."""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import socket
import struct
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
OPTIONS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
           "--remote-debugging-port=0", "about:blank")  # fmt: skip


def browser() -> str | None:
    """The path of a Chromium, if there is one."""
    return next((x for name in BROWSERS if (x := shutil.which(name))), None)


class Browser:
    """A Chromium with one page; errors and warnings of the page are collected in `problems`."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        command = [browser() or "chromium", *OPTIONS, f"--user-data-dir={self._folder.name}"]
        self._process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        assert self._process.stderr is not None
        for line in self._process.stderr:
            if match := re.search(r"ws://([^:/]+):([0-9]+)(/\S+)", line):
                break
        else:
            raise RuntimeError("Chromium ended before it listened")
        self._socket = _WebSocket(match[1], int(match[2]), match[3])
        self._n, self.problems, self._session = 0, list[str](), ""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "DOM", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.requests = list[str]()

    def call(self, method: str, **params: Any) -> Any:
        """Call a method of the protocol and return its result."""
        self._n += 1
        message = {"id": self._n, "method": method, "params": params}
        self._socket.send(json.dumps(message | ({"sessionId": self._session} if self._session else {})))
        while True:
            answer = json.loads(self._socket.receive())
            if answer.get("id") == self._n:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self._note(answer)

    def _note(self, event: dict[str, Any]) -> None:
        params = event.get("params", {})
        if event.get("method") == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.problems.append(details.get("exception", {}).get("description") or details["text"])
        elif event.get("method") == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.problems.append(params["entry"]["text"])
        elif event.get("method") == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])

    def run(self, script: str) -> Any:
        """The value of an expression, or of the promise that it makes, in the page."""
        result = self.call(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True, userGesture=True
        )
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"].get("exception", {}).get("description", script))
        return result["result"].get("value")

    def wait(self, condition: str, seconds: float = 30.0) -> Any:
        """Wait until an expression is true, and return its value."""
        end = time.monotonic() + seconds
        while not (value := self.run(condition)):
            if time.monotonic() > end:
                raise TimeoutError(
                    f"after {seconds} s not yet: {condition}; {self.run('document.body.innerText')[:2000]}"
                )
            time.sleep(0.02)
        return value

    def open(self, path: Path, fragment: str = "") -> None:
        """Open a file anew, also where only the fragment differs."""
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=path.resolve().as_uri() + fragment)
        self.wait("document.readyState === 'complete'")

    def choose(self, selector: str, *files: Path) -> None:
        """Choose files in an input of the page."""
        root = self.call("DOM.getDocument")["root"]["nodeId"]
        node = self.call("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        self.call("DOM.setFileInputFiles", nodeId=node, files=[str(x.resolve()) for x in files])

    def size(self, width: int, height: int = 900, dark: bool = False) -> None:
        """The size of the window, and whether it is dark."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def picture(self, file: Path) -> None:
        """Save the whole page as a picture."""
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        data = self.call("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)["data"]
        file.write_bytes(base64.b64decode(data))

    def close(self) -> None:
        """End the browser."""
        self._process.kill()
        self._process.wait()
        self._folder.cleanup()


class _WebSocket:
    """A client of a WebSocket, with texts in both directions."""

    def __init__(self, host: str, port: int, path: str) -> None:
        self._socket = socket.create_connection((host, port), timeout=120)
        key = base64.b64encode(os.urandom(16)).decode()
        self._socket.sendall(
            f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        self._rest = b""
        while b"\r\n\r\n" not in self._rest:
            self._rest += self._socket.recv(65536)
        head, _, self._rest = self._rest.partition(b"\r\n\r\n")
        if b" 101 " not in head:
            raise RuntimeError(head.decode())

    def send(self, text: str) -> None:
        data = text.encode()
        n = len(data)
        length = (
            bytes([0x80 | n])
            if n < 126
            else b"\xfe" + struct.pack(">H", n)
            if n < 65536
            else b"\xff" + struct.pack(">Q", n)
        )
        self._socket.sendall(b"\x81" + length + bytes(4) + data)  # the mask 0 changes no byte

    def receive(self) -> str:
        """The next text, whose parts may come in several frames."""
        text = b""
        while True:
            first, second = self._take(2)
            n = second & 127
            n = (
                struct.unpack(">H", self._take(2))[0]
                if n == 126
                else struct.unpack(">Q", self._take(8))[0]
                if n == 127
                else n
            )
            data = self._take(n)
            if first & 15 in (0, 1):
                text += data
                if first & 128:
                    return text.decode()
            elif first & 15 == 8:
                raise RuntimeError("the browser closed the connection")

    def _take(self, n: int) -> bytes:
        while len(self._rest) < n:
            if not (data := self._socket.recv(1 << 20)):
                raise RuntimeError("the browser ended")
            self._rest += data
        out, self._rest = self._rest[:n], self._rest[n:]
        return out
